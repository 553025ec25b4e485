package dev.sluice.delivery;

import dev.sluice.queue.Delivery;
import dev.sluice.queue.Message;
import dev.sluice.queue.MessageJson;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What a target is sent for a message; the same for each try but for the signature.
 *
 * @param target where to
 * @param authorization the value of the Authorization header
 * @param group the value of the X-Sluice-Group header, for events
 * @param secret what to sign with
 * @param body what is posted, in UTF-8
 */
record Request(
    TargetUrl target,
    Optional<String> authorization,
    Optional<String> group,
    Optional<String> secret,
    String body) {

  /** A header. */
  record Header(String name, String value) {}

  private static final String JSON = "application/json";

  /**
   * The request that a delivery asks for.
   *
   * @throws UndeliverableException if no such request can be made
   */
  static Request of(Delivery delivery) throws UndeliverableException {
    Message message = delivery.message();
    if (!message.mediationType().equals("HTTP")) {
      throw new UndeliverableException("mediationType is not HTTP");
    }
    TargetUrl target = TargetUrl.parse(message.mediationTarget());
    boolean event = delivery.kind() == Delivery.Kind.EVENT;
    String body = event ? delivery.payload() : MessageJson.body(message.id());
    return new Request(
        target,
        authorization(message, target),
        event ? Optional.of(HeaderText.percentEncode(delivery.claimGroup())) : Optional.empty(),
        message.signingSecret(),
        body);
  }

  /** The headers of a try that starts now. */
  List<Header> headers(Instant now) {
    List<Header> headers = new ArrayList<>();
    headers.add(new Header("Accept", JSON));
    headers.add(new Header("Accept-Encoding", "identity"));
    headers.add(new Header("Content-Type", JSON));
    authorization.ifPresent(value -> headers.add(new Header("Authorization", value)));
    group.ifPresent(value -> headers.add(new Header("X-Sluice-Group", value)));
    secret.ifPresent(
        key -> {
          Signature signature = Signature.of(key, now, body);
          headers.add(new Header("X-FlowCatalyst-Timestamp", signature.timestamp()));
          headers.add(new Header("X-FlowCatalyst-Signature", signature.value()));
        });
    return headers;
  }

  private static Optional<String> authorization(Message message, TargetUrl target)
      throws UndeliverableException {
    if (message.authToken().isEmpty()) {
      return target.basicAuthorization();
    }
    String token = message.authToken().get();
    if (!HeaderText.isValue(token)) {
      throw new UndeliverableException("authToken cannot be sent as a header");
    }
    return Optional.of(HeaderText.trimEnd("Bearer " + token));
  }

  /** Leaves out what is secret. */
  @Override
  public String toString() {
    return "Request[" + target.safe() + "]";
  }
}
