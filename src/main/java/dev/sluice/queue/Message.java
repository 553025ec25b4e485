package dev.sluice.queue;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What a producer asks for: call this target, in this group, through this pool. The fields and
 * their JSON are the Go services'; see {@link MessageJson}.
 *
 * @param id unique within its queue
 * @param poolCode the pool that delivers it; empty for the default pool
 * @param authTokenOrNull sent as bearer token, even when empty; null for none
 * @param signingSecretOrNull signs the request, even when empty; null for no signature
 * @param mediationType {@code HTTP}; any other is rejected
 * @param mediationTarget the URL to call
 * @param messageGroupIdOrNull the group; null for none
 * @param highPriority carried along; the legacy backend does not order by it
 * @param dispatchMode the name of a {@link DispatchMode}, empty or unknown for immediate
 */
public record Message(
    String id,
    String poolCode,
    @Nullable String authTokenOrNull,
    @Nullable String signingSecretOrNull,
    String mediationType,
    String mediationTarget,
    @Nullable String messageGroupIdOrNull,
    boolean highPriority,
    String dispatchMode) {

  /** A message over HTTP to this target, with every other field unset. */
  public static Message of(String id, String mediationTarget) {
    return new Message(id, "", null, null, "HTTP", mediationTarget, null, false, "");
  }

  /** The bearer token, if one is given; it may be empty. */
  public Optional<String> authToken() {
    return Optional.ofNullable(authTokenOrNull);
  }

  /** The key of the signature, if one is given; it may be empty. */
  public Optional<String> signingSecret() {
    return Optional.ofNullable(signingSecretOrNull);
  }

  /** The group as written, if one is given; it may be empty. */
  public Optional<String> messageGroupId() {
    return Optional.ofNullable(messageGroupIdOrNull);
  }

  /** How it follows the message before it in its group; immediate when it has no group. */
  public DispatchMode mode() {
    return messageGroupIdOrNull == null || messageGroupIdOrNull.isEmpty()
        ? DispatchMode.IMMEDIATE
        : DispatchMode.of(dispatchMode);
  }

  /** The same message in this group. */
  public Message withGroup(String group) {
    return new Message(
        id,
        poolCode,
        authTokenOrNull,
        signingSecretOrNull,
        mediationType,
        mediationTarget,
        group,
        highPriority,
        dispatchMode);
  }

  /** The same message in this mode. */
  public Message withMode(DispatchMode mode) {
    return new Message(
        id,
        poolCode,
        authTokenOrNull,
        signingSecretOrNull,
        mediationType,
        mediationTarget,
        messageGroupIdOrNull,
        highPriority,
        mode.name());
  }

  /** The same message for this pool. */
  public Message withPool(String code) {
    return new Message(
        id,
        code,
        authTokenOrNull,
        signingSecretOrNull,
        mediationType,
        mediationTarget,
        messageGroupIdOrNull,
        highPriority,
        dispatchMode);
  }

  /** Leaves out the token, the secret and the target, which may carry a password. */
  @Override
  public String toString() {
    return "Message[id=" + id + ", group=" + messageGroupIdOrNull + ", pool=" + poolCode + "]";
  }
}
