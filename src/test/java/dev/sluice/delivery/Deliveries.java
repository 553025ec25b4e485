package dev.sluice.delivery;

import dev.sluice.queue.Delivery;
import dev.sluice.queue.Message;
import dev.sluice.queue.Receipt;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Deliveries as a backend makes them. */
final class Deliveries {
  private Deliveries() {}

  static Delivery to(String url) {
    return of(Message.of("m-1", url));
  }

  static Delivery to(String url, @Nullable String authToken, @Nullable String signingSecret) {
    return of(new Message("m-1", "", authToken, signingSecret, "HTTP", url, null, false, ""));
  }

  static Delivery of(Message message) {
    return new Delivery(
        message,
        Delivery.Kind.MESSAGE,
        "{}",
        new Receipt("r:" + message.id()),
        message.id(),
        "q",
        message.id(),
        1,
        Instant.EPOCH,
        Instant.EPOCH);
  }

  static Delivery event(String url, String payload, String group) {
    return new Delivery(
        Message.of("e-1", url),
        Delivery.Kind.EVENT,
        payload,
        new Receipt("r:1"),
        "1",
        "q",
        group,
        1,
        Instant.EPOCH,
        Instant.EPOCH);
  }
}
