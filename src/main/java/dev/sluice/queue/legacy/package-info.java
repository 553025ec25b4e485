/** The table {@code queue_messages} that Go services write. */
@org.jspecify.annotations.NullMarked
package dev.sluice.queue.legacy;
