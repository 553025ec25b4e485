/**
 * What the table {@code queue_messages} must do, written down three times without looking at our
 * backend: as the seed's statements, as a model in memory, and as generators of random tables.
 */
@org.jspecify.annotations.NullMarked
package dev.sluice.model;
