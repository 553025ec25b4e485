/**
 * From a queue URI to a {@link dev.sluice.queue.Queue}, and the PostgreSQL that the program brings
 * along.
 */
@org.jspecify.annotations.NullMarked
package dev.sluice.queue.uri;
