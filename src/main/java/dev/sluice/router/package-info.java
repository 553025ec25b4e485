/** From polled batches to settled messages: order within groups, flow, shutdown. */
@org.jspecify.annotations.NullMarked
package dev.sluice.router;
