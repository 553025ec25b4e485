/**
 * The contract that both backends keep: what a queue of messages can do, whatever its tables look
 * like.
 *
 * <p>Nothing here knows a backend, HTTP or the router.
 */
@org.jspecify.annotations.NullMarked
package dev.sluice.queue;
