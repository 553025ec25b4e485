/** What every backend must do, and where the two differ and why; see {@link Backend}. */
@org.jspecify.annotations.NullMarked
package dev.sluice.queue.contract;
