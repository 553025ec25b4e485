package dev.sluice.router;

import dev.sluice.delivery.Mediator;
import dev.sluice.time.Time;
import java.util.concurrent.Executor;

/**
 * What the lanes of one router have in common.
 *
 * @param core runs tasks one after the other; owns all state
 * @param carryOn what every event ends with: workers are filled, queues polled
 * @param pollInTurn has the queue polled that waits for room longest
 */
record Shared(
    Mediator mediator,
    Time time,
    RouterOptions options,
    Executor core,
    Pools pools,
    Tally tally,
    RouterListener listener,
    Runnable carryOn,
    Runnable pollInTurn) {}
