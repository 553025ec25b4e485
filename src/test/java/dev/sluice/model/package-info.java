/**
 * What the tables of the two backends must do, written down three times without looking at our
 * code: as the statements of the seeds, as models in memory, and as random tables or lives of them.
 * {@code Legacy...} is {@code queue_messages}, {@code Harel...} the one with a row per group.
 */
@org.jspecify.annotations.NullMarked
package dev.sluice.model;
