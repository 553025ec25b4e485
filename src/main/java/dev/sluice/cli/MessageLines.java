package dev.sluice.cli;

import dev.sluice.queue.MalformedMessageException;
import dev.sluice.queue.Message;
import dev.sluice.queue.MessageJson;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/** Reads one message in JSON per line; blank lines are passed over. Not thread-safe. */
final class MessageLines {
  private final InputStream in;
  private long number;

  MessageLines(InputStream in) {
    this.in = new BufferedInputStream(in, 1 << 16);
  }

  /** A line that is no message. */
  static final class BadLineException extends Exception {
    private static final long serialVersionUID = 1L;

    BadLineException(long number, String reason) {
      super("line " + number + ": " + reason);
    }
  }

  /**
   * The next message; empty at the end.
   *
   * @throws BadLineException if the next line is no message; the one after it can be read
   */
  Optional<Message> next() throws IOException, BadLineException {
    for (byte[] line = readLine(); line.length > 0; line = readLine()) {
      number++;
      String text = decode(line);
      if (!text.isBlank()) {
        return Optional.of(parse(text));
      }
    }
    return Optional.empty();
  }

  /** Whether more can be read without waiting for who writes it. */
  boolean moreAtHand() throws IOException {
    return in.available() > 0;
  }

  private Message parse(String text) throws BadLineException {
    try {
      Message message = MessageJson.read(text);
      if (message.id().isEmpty()) {
        throw new BadLineException(number, "the message has no id");
      }
      if (holdsNul(message.id())
          || message.messageGroupId().filter(MessageLines::holdsNul).isPresent()) {
        throw new BadLineException(number, "the id or the group holds a NUL character");
      }
      return message.mediationType().isEmpty() ? overHttp(message) : message;
    } catch (MalformedMessageException e) {
      throw new BadLineException(number, "no message: " + e.getMessage());
    }
  }

  private static boolean holdsNul(String text) {
    return text.indexOf('\0') >= 0;
  }

  // There is only one type: who writes by hand need not name it.
  private static Message overHttp(Message message) {
    return new Message(
        message.id(),
        message.poolCode(),
        message.authTokenOrNull(),
        message.signingSecretOrNull(),
        "HTTP",
        message.mediationTarget(),
        message.messageGroupIdOrNull(),
        message.highPriority(),
        message.dispatchMode());
  }

  private String decode(byte[] line) throws BadLineException {
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(line)).toString();
    } catch (CharacterCodingException e) {
      throw new BadLineException(number, "not UTF-8");
    }
  }

  /** The next line with its end; nothing at the end of all. */
  private byte[] readLine() throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    for (int b = in.read(); b >= 0; b = in.read()) {
      line.write(b);
      if (b == '\n') {
        break;
      }
    }
    return line.toByteArray();
  }
}
