package dev.sluice.config;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The fields of one JSON object, found as Go finds them: whatever the case of their keys, and null
 * as if they were not there.
 */
final class Fields {
  private static final Pattern PLAIN_KEY = Pattern.compile("[\\w.-]{1,100}");

  private final String place;
  private final String separator;
  private final Map<String, JsonNode> values = new LinkedHashMap<>();

  /** What is told about a key that nobody reads. */
  interface UnknownKey {
    void at(String key);
  }

  /**
   * @param place what the object is called in messages: {@code config.json: queues[1]}
   * @param separator what stands between that and a key: {@code "."}, or {@code ": "}
   * @param keys the keys that are read here
   * @throws ConfigException if it is no object, or one of the keys stands in it twice
   */
  Fields(
      String place,
      String separator,
      @Nullable JsonNode node,
      Set<String> keys,
      UnknownKey unknown) {
    this.place = place;
    this.separator = separator;
    if (node == null || !node.isObject()) {
      throw ConfigException.wrong(place, "must be an object, was " + kind(node));
    }
    node.properties()
        .forEach(
            field -> {
              Optional<String> key =
                  keys.stream().filter(known -> known.equalsIgnoreCase(field.getKey())).findAny();
              if (key.isEmpty()) {
                unknown.at(shown(field.getKey()));
              } else if (values.put(key.get(), field.getValue()) != null) {
                throw ConfigException.wrong(place(key.get()), "stands twice");
              }
            });
  }

  /** The place of a field, as messages name it. */
  String place(String key) {
    return place + separator + key;
  }

  /** The value of a field that is an array; empty where there is none. */
  Optional<JsonNode> array(String key) {
    return value(key)
        .map(
            node -> {
              if (!node.isArray()) {
                throw ConfigException.wrong(place(key), "must be an array, was " + kind(node));
              }
              return node;
            });
  }

  /** The value of a field that is a text of one line, not empty. */
  Optional<String> text(String key) {
    return value(key)
        .map(
            node -> {
              if (!node.isTextual()) {
                throw ConfigException.wrong(place(key), "must be a string, was " + kind(node));
              }
              return checked(key, node.textValue());
            });
  }

  private String checked(String key, String text) {
    if (text.isEmpty()) {
      throw ConfigException.wrong(place(key), "must not be empty");
    }
    if (text.codePoints().anyMatch(c -> Character.isISOControl(c) || isLoneSurrogate(c))) {
      throw ConfigException.wrong(
          place(key), "must not hold control characters or halves of surrogate pairs");
    }
    return text;
  }

  private static boolean isLoneSurrogate(int codePoint) {
    return codePoint >= Character.MIN_SURROGATE && codePoint <= Character.MAX_SURROGATE;
  }

  /** The value of a field that is a whole number from 0 to this. */
  OptionalLong number(String key, long most) {
    Optional<JsonNode> node = value(key);
    if (node.isEmpty()) {
      return OptionalLong.empty();
    }
    JsonNode number = node.get();
    // Go takes neither 1.0 nor 1e2 for a whole number.
    boolean fits =
        number.isIntegralNumber()
            && number.canConvertToLong()
            && number.longValue() >= 0
            && number.longValue() <= most;
    if (!fits) {
      throw ConfigException.wrong(
          place(key), "must be a whole number from 0 to " + most + ", was " + shown(number));
    }
    return OptionalLong.of(number.longValue());
  }

  private Optional<JsonNode> value(String key) {
    return Optional.ofNullable(values.get(key)).filter(node -> !node.isNull());
  }

  private static String shown(JsonNode node) {
    String text = node.asText();
    return node.isNumber() && text.length() <= 30 ? text : kind(node);
  }

  /** What a value is; never the value, which may be a password that was put in a wrong place. */
  static String kind(@Nullable JsonNode node) {
    if (node == null || node.isMissingNode()) {
      return "nothing";
    }
    String kind = node.getNodeType().name().toLowerCase(Locale.ROOT);
    return switch (kind) {
      case "null" -> kind;
      case "array", "object" -> "an " + kind;
      default -> "a " + kind;
    };
  }

  private static String shown(String key) {
    return PLAIN_KEY.matcher(key).matches() ? key : "(a key of " + key.length() + " characters)";
  }
}
