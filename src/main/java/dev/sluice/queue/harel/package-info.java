/** The harel transport: one row per group, shared with Python workers. */
@org.jspecify.annotations.NullMarked
package dev.sluice.queue.harel;
