package dev.sluice.queue;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Reads one payload as Go's {@code json.Unmarshal} fills a struct that starts out zero. */
final class MessageReader {
  private final JsonParser json;

  private String id = "";
  private String poolCode = "";
  private @Nullable String authToken;
  private @Nullable String signingSecret;
  private String mediationType = "";
  private String mediationTarget = "";
  private @Nullable String messageGroupId;
  private boolean highPriority;
  private String dispatchMode = "";

  private MessageReader(JsonParser json) {
    this.json = json;
  }

  static Message read(JsonFactory factory, String payload) throws MalformedMessageException {
    // Before parsing: Jackson refuses escapes of lone surrogates in names, and Go does not let an
    // escaped half and a raw one make a pair.
    String text = LoneSurrogates.replaceEscapes(LoneSurrogates.replace(payload, "\ufffd"));
    try (JsonParser json = factory.createParser(text)) {
      return new MessageReader(json).message();
    } catch (StreamConstraintsException e) {
      throw new MalformedMessageException("the payload is nested too deeply");
    } catch (JsonProcessingException e) {
      // Jackson's own words, and its exception as a cause, would quote the payload.
      throw new MalformedMessageException("the payload is not JSON" + place(e));
    } catch (IOException e) {
      throw new UncheckedIOException(e); // a string never fails
    }
  }

  private Message message() throws IOException, MalformedMessageException {
    JsonToken first = json.nextToken();
    if (first != JsonToken.START_OBJECT) {
      throw new MalformedMessageException(
          "the payload is " + describe(first) + " instead of an object");
    }
    while (json.nextToken() != JsonToken.END_OBJECT) {
      String name = json.currentName();
      json.nextToken();
      readField(name);
    }
    if (json.nextToken() != null) {
      throw new MalformedMessageException("the payload goes on after its object");
    }
    return new Message(
        id,
        poolCode,
        authToken,
        signingSecret,
        mediationType,
        mediationTarget,
        messageGroupId,
        highPriority,
        dispatchMode);
  }

  private void readField(String name) throws IOException, MalformedMessageException {
    switch (fold(name)) {
      case "id" -> id = string("id", id);
      case "poolcode" -> poolCode = string("poolCode", poolCode);
      case "authtoken" -> authToken = pointer("authToken");
      case "signingsecret" -> signingSecret = pointer("signingSecret");
      case "mediationtype" -> mediationType = string("mediationType", mediationType);
      case "mediationtarget" -> mediationTarget = string("mediationTarget", mediationTarget);
      case "messagegroupid" -> messageGroupId = pointer("messageGroupId");
      case "highpriority" -> highPriority = bool("highPriority", highPriority);
      case "dispatchmode" -> dispatchMode = string("dispatchMode", dispatchMode);
      default -> json.skipChildren();
    }
  }

  /**
   * Brings together what simple Unicode folding does, as far as it can meet the ASCII names above:
   * two characters beyond ASCII fold into it, the Kelvin sign, which lower case maps to k, and the
   * long s, which it leaves alone. (Not equalsIgnoreCase: to it a dotless i is an i.)
   *
   * <p>No two fields fold alike, so an exact match, which Go looks for first, is never another one.
   */
  private static String fold(String name) {
    return name.replace('\u017f', 's').toLowerCase(Locale.ROOT);
  }

  private String string(String field, String current)
      throws IOException, MalformedMessageException {
    return switch (json.currentToken()) {
      case VALUE_STRING -> json.getText();
      case VALUE_NULL -> current;
      default -> throw wrongType(field, "a string");
    };
  }

  private @Nullable String pointer(String field) throws IOException, MalformedMessageException {
    return switch (json.currentToken()) {
      case VALUE_STRING -> json.getText();
      case VALUE_NULL -> null;
      default -> throw wrongType(field, "a string");
    };
  }

  private boolean bool(String field, boolean current) throws MalformedMessageException {
    return switch (json.currentToken()) {
      case VALUE_TRUE -> true;
      case VALUE_FALSE -> false;
      case VALUE_NULL -> current;
      default -> throw wrongType(field, "a boolean");
    };
  }

  private MalformedMessageException wrongType(String field, String expected) {
    return new MalformedMessageException(
        field + " is " + describe(json.currentToken()) + " instead of " + expected);
  }

  private static String describe(@Nullable JsonToken token) {
    if (token == null) {
      return "empty";
    }
    return switch (token) {
      case START_OBJECT -> "an object";
      case START_ARRAY -> "an array";
      case VALUE_STRING -> "a string";
      case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> "a number";
      case VALUE_TRUE, VALUE_FALSE -> "a boolean";
      default -> "null";
    };
  }

  private static String place(JsonProcessingException e) {
    return e.getLocation() == null
        ? ""
        : " (line "
            + e.getLocation().getLineNr()
            + ", column "
            + e.getLocation().getColumnNr()
            + ")";
  }
}
