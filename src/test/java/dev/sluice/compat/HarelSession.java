package dev.sluice.compat;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.sluice.queue.Delivery;
import dev.sluice.queue.Receipt;
import dev.sluice.queue.Return;
import dev.sluice.queue.harel.Event;
import dev.sluice.queue.harel.HarelQueue;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

/** One of our sessions beside Python's: what it does is random, and noted. */
final class HarelSession {
  private static final JsonMapper JSON = JsonMapper.builder().build();
  private static final long PAUSE_NANOS = 3_000_000;
  private static final int BATCH = 3;

  private final String name;
  private final HarelQueue queue;
  private final Duration visibility;
  private final Random random;
  private int lives;

  HarelSession(String name, HarelQueue.Builder builder, Duration visibility) {
    this.name = name;
    this.visibility = visibility;
    this.random = new Random(name.hashCode());
    this.queue =
        builder.visibility(visibility).eventTarget("https://t.example/hook").worker(name).build();
  }

  /** Publishes so many events as a harel publisher writes them. */
  int produce(PeerHistory history, int messages, int groups) {
    for (int i = 0; i < messages; i++) {
      String id = "%s-%06d".formatted(name, i);
      String group = "group-%04d".formatted(random.nextInt(groups));
      String text =
          "{\"id\":\"%s\",\"kind\":\"order.placed\",\"data\":{\"number\":%d}}".formatted(id, i);
      long from = nanos();
      queue.publishEvents(List.of(new Event(group, text, random.nextInt(5))));
      history.add(PeerEvent.published(from, nanos(), id, group));
      LockSupport.parkNanos(PAUSE_NANOS);
    }
    return messages;
  }

  /** Takes, acks, gives back, and forgets what it holds at times; says how often it forgot. */
  int consume(PeerHistory history, AtomicBoolean over) throws JsonProcessingException {
    while (!over.get()) {
      long from = nanos();
      List<Delivery> deliveries = queue.poll(BATCH).deliveries();
      long to = nanos();
      List<Claimed> claims = new ArrayList<>();
      for (Delivery delivery : deliveries) {
        claims.add(note(history, delivery, from, to));
      }
      if (random.nextInt(100) == 0 && !claims.isEmpty()) {
        lives++;
        continue;
      }
      for (Claimed claim : claims) {
        settle(history, claim);
      }
      if (deliveries.isEmpty()) {
        LockSupport.parkNanos(PAUSE_NANOS);
      }
    }
    return lives;
  }

  private record Claimed(PeerEvent event, Receipt receipt) {}

  private Claimed note(PeerHistory history, Delivery delivery, long from, long to)
      throws JsonProcessingException {
    String id = JSON.readTree(delivery.payload()).get("id").textValue();
    PeerEvent event =
        PeerEvent.claimed(
            from,
            to,
            name + "." + lives,
            id,
            delivery.claimGroup(),
            Long.parseLong(delivery.brokerId()));
    history.add(event);
    return new Claimed(event, delivery.receipt());
  }

  private void settle(PeerHistory history, Claimed claim) {
    double delay = random.nextInt(3) == 0 ? 0.2 : 0;
    boolean isAck = random.nextInt(5) > 0;
    long from = nanos();
    history.add(claim.event().settled("settle", from, from, 0));
    Set<Receipt> stale =
        isAck
            ? queue.ackBatch(List.of(claim.receipt()))
            : queue.nackBatch(
                List.of(new Return(claim.receipt(), Duration.ofMillis((long) (delay * 1000)))));
    long to = nanos();
    if (to < claim.event().from() + visibility.toNanos()) {
      assertThat(stale).as("the claim holds: %s", claim.event()).isEmpty();
    }
    history.add(claim.event().settled(isAck ? "ack" : "nack", from, to, isAck ? 0 : delay));
  }

  private static long nanos() {
    Instant now = Instant.now();
    return now.getEpochSecond() * 1_000_000_000 + now.getNano();
  }
}
