package dev.sluice.queue.harel;

import dev.sluice.model.HarelClaim;
import dev.sluice.model.HarelEvent;
import dev.sluice.model.HarelReceipt;
import dev.sluice.model.HarelUnderTest;
import dev.sluice.model.HarelUnderTest.Capability;
import dev.sluice.model.HarelUnderTest.Return;
import dev.sluice.queue.Message;
import dev.sluice.queue.MessageJson;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/** Publishers and workers on the same tables at the same time, each a session of its own. */
final class HarelStorm {
  private static final double LEASE = 300;
  private static final double PARKED = 0.05;
  private static final int PAUSE_NANOS = 500_000;
  private static final long LONGEST_PAUSE_NANOS = 50_000_000;

  private final HarelStormPlan plan;
  private final long seed;
  private final HarelWitness witness = new HarelWitness();
  private final AtomicInteger publishing;
  private final long end;

  HarelStorm(HarelStormPlan plan, long seed) {
    this.plan = plan;
    this.seed = seed;
    this.publishing = new AtomicInteger(plan.allPublishers());
    this.end = System.nanoTime() + plan.limit().toNanos();
  }

  /** What all sessions of a storm take for the time. */
  static double clock() {
    return System.currentTimeMillis() / 1000.0;
  }

  HarelWitness witness() {
    return witness;
  }

  /**
   * Publishes everything and claims until all is handled, nothing comes for too long, or the time
   * is over.
   */
  void rage(HarelUnderTest tested, HarelUnderTest beside) throws InterruptedException {
    List<Runnable> sessions = new ArrayList<>();
    for (int i = 0; i < plan.allPublishers(); i++) {
      sessions.add(new Publisher(i, i < plan.publishers() ? tested : beside)::run);
    }
    for (int i = 0; i < plan.workers() + plan.workersBeside(); i++) {
      sessions.add(new Worker(i, i < plan.workers() ? tested : beside)::run);
    }
    ExecutorService threads = Executors.newFixedThreadPool(sessions.size());
    try {
      List<Future<?>> running = new ArrayList<>();
      sessions.forEach(session -> running.add(threads.submit(() -> witnessed(session))));
      threads.shutdown();
      if (!threads.awaitTermination(plan.limit().toSeconds() + 10, TimeUnit.SECONDS)) {
        witness.complain("sessions that do not end");
      }
    } finally {
      threads.shutdownNow();
    }
  }

  private void witnessed(Runnable session) {
    try {
      session.run();
    } catch (RuntimeException e) {
      witness.complain("a session failed: " + e);
    }
  }

  private boolean timeIsOver() {
    if (System.nanoTime() < end) {
      return false;
    }
    witness.complain("not done within " + plan.limit());
    return true;
  }

  private final class Publisher {
    private final int number;
    private final HarelUnderTest transport;
    private final Random random;
    private final int share;

    private Publisher(int number, HarelUnderTest transport) {
      this.number = number;
      this.transport = transport;
      this.random = new Random(seed * 31 + number);
      int all = plan.allPublishers();
      this.share = plan.messages() * (number + 1) / all - plan.messages() * number / all;
    }

    private void run() {
      try {
        int done = 0;
        while (done < share && !timeIsOver()) {
          waitUntilFewWait();
          int count = Math.min(share - done, random.nextBoolean() ? 1 : 1 + random.nextInt(8));
          publish(done, count);
          done += count;
        }
      } finally {
        publishing.decrementAndGet();
      }
    }

    // Not for ever: what is stranded waits until its group is published to again.
    private void waitUntilFewWait() {
      long until = System.nanoTime() + LONGEST_PAUSE_NANOS;
      while (witness.waiting() >= plan.backlog() && System.nanoTime() < until) {
        LockSupport.parkNanos(PAUSE_NANOS);
      }
    }

    private void publish(int done, int count) {
      List<HarelEvent> events = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        String group = "g" + random.nextInt(plan.groups());
        Message message = Message.of(number + "-" + (done + i), "https://t.example/hook");
        String event = MessageJson.write(message.withGroup(group));
        witness.publishes(number, group, event);
        events.add(new HarelEvent(group, event, random.nextInt(5)));
      }
      if (count == 1) {
        transport.publish(events.get(0));
      } else {
        transport.publishBatch(events);
      }
    }
  }

  private final class Worker {
    private final int number;
    private final HarelUnderTest transport;
    private final Random random;

    private Worker(int number, HarelUnderTest transport) {
      this.number = number;
      this.transport = transport;
      this.random = new Random(seed * 37 + number);
    }

    private void run() {
      while (!isOver() && !timeIsOver()) {
        int minPriority = random.nextInt(4) == 0 ? random.nextInt(5) : 0;
        List<HarelClaim> claims =
            transport.claim("w" + number, LEASE, minPriority, 1 + random.nextInt(4));
        claims.forEach(witness::delivered);
        if (claims.isEmpty()) {
          LockSupport.parkNanos(PAUSE_NANOS);
        } else {
          settle(claims);
        }
      }
    }

    private boolean isOver() {
      return publishing.get() == 0
          && (witness.waiting() == 0 || witness.nanosSinceDelivery() > plan.patience().toNanos());
    }

    private void settle(List<HarelClaim> claims) {
      if (random.nextInt(8) == 0 && transport.capabilities().contains(Capability.EXTEND)) {
        assertHeld("extended", transport.extend(receipts(claims), LEASE));
      }
      LockSupport.parkNanos(random.nextInt(PAUSE_NANOS));
      if (random.nextInt(8) == 0) {
        double delay = random.nextInt(4) == 0 ? PARKED : 0;
        claims.forEach(witness::handsBack);
        assertHeld(
            "handed back",
            transport.nack(receipts(claims).stream().map(r -> new Return(r, delay)).toList()));
      } else {
        claims.forEach(witness::handles);
        assertHeld("acked", transport.ack(receipts(claims)));
      }
    }

    private List<HarelReceipt> receipts(List<HarelClaim> claims) {
      return claims.stream().map(HarelClaim::receipt).toList();
    }

    private void assertHeld(String what, Set<HarelReceipt> stale) {
      if (!stale.isEmpty()) {
        witness.complain("held no more when " + what + ": " + stale);
      }
    }
  }
}
