package dev.sluice.compat;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.sluice.queue.Delivery;
import dev.sluice.queue.MalformedMessageException;
import dev.sluice.queue.MessageJson;
import dev.sluice.queue.PollResult;
import dev.sluice.queue.Receipt;
import dev.sluice.queue.legacy.History;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Something that the Go program did to the queue, which took effect between two instants.
 *
 * @param kind publish, poll, ack, nack or defer
 * @param from unix nanoseconds
 * @param to unix nanoseconds
 * @param messages what was published
 * @param claims what a poll has claimed
 * @param id of the row that was settled
 * @param receipt of the claim that was settled
 * @param held whether that claim still held
 */
record GoEvent(
    @JsonProperty("event") String kind,
    long from,
    long to,
    @Nullable List<Published> messages,
    @Nullable List<Claim> claims,
    @Nullable String id,
    @Nullable String receipt,
    long delay,
    boolean held) {
  private static final JsonMapper JSON = JsonMapper.builder().build();

  /** A message of a batch. */
  record Published(String id, @Nullable String group) {}

  /** A row as the poll has left it; old rows have no count of their receives. */
  record Claim(
      String id,
      @Nullable String group,
      String receipt,
      long createdAt,
      long visibleAt,
      @Nullable Integer receives,
      String payload) {

    Delivery delivery(String queue) {
      try {
        return new Delivery(
            MessageJson.read(payload),
            Delivery.Kind.MESSAGE,
            payload,
            new Receipt(receipt),
            id,
            queue,
            group == null ? id : group,
            receives == null ? 0 : receives,
            Instant.ofEpochSecond(createdAt),
            Instant.ofEpochSecond(visibleAt));
      } catch (MalformedMessageException e) {
        throw new AssertionError("the Go program took " + id, e);
      }
    }
  }

  static GoEvent parse(String line) throws JsonProcessingException {
    return JSON.readValue(line, GoEvent.class);
  }

  List<Published> published() {
    return messages == null ? List.of() : messages;
  }

  List<Claim> claimed() {
    return claims == null ? List.of() : claims;
  }

  /** The row that was settled. */
  String settledId() {
    if (id == null) {
      throw new AssertionError("settles nothing: " + this);
    }
    return id;
  }

  /** Whether it has deleted a row. */
  boolean acked() {
    return kind.equals("ack") && held;
  }

  /** Writes it down beside what others did to the same queue. */
  void addTo(History history, String queue) {
    switch (kind) {
      case "publish" -> published().forEach(m -> history.add(published(m)));
      case "poll" -> history.add(polled(queue));
      case "ack" -> history.add(settled(History.Settlement.ACK));
      default -> history.add(settled(History.Settlement.HAND_BACK));
    }
  }

  private History.Published published(Published message) {
    String group = message.group() == null ? message.id() : message.group();
    return new History.Published(message.id(), group, span().secondFrom(), span());
  }

  private History.Polled polled(String queue) {
    List<Delivery> deliveries = claimed().stream().map(c -> c.delivery(queue)).toList();
    return new History.Polled(new PollResult(deliveries, deliveries.size(), 0), span());
  }

  private History.Settled settled(History.Settlement kind) {
    if (receipt == null) {
      throw new AssertionError("no receipt: " + this);
    }
    return new History.Settled(kind, new Receipt(receipt), held, 0, span());
  }

  private History.Span span() {
    return new History.Span(from, to, seconds(from), seconds(to));
  }

  private static long seconds(long nanos) {
    return TimeUnit.NANOSECONDS.toSeconds(nanos);
  }
}
