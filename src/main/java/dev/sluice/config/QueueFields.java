package dev.sluice.config;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.queue.uri.QueueUri;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads one element of {@code queues}. */
final class QueueFields {
  private static final String NAME = "queueName";
  private static final String OLD_NAME = "name";
  private static final String URI = "queueUri";
  private static final String OLD_URI = "uri";
  private static final String CONNECTIONS = "connections";
  private static final String VISIBILITY = "visibilityTimeout";
  private static final Set<String> KEYS =
      Set.of(NAME, OLD_NAME, URI, OLD_URI, CONNECTIONS, VISIBILITY);

  private static final Set<String> BACKENDS =
      Set.of("postgres", "postgresql", "harel", "embedded", "embedded-harel");
  private static final Pattern SCHEME = Pattern.compile("([A-Za-z][A-Za-z0-9+.-]{0,20})://.*");
  private static final Pattern SECRET =
      Pattern.compile("[^:]+://[^/?@]*:[^/?]*@.*|.*\\?.*password.*", Pattern.CASE_INSENSITIVE);

  private static final long MOST_CONNECTIONS = 1_000;
  private static final long DEFAULT_VISIBILITY = 120;
  private static final long MOST_VISIBILITY = 43_200;

  /** What the queue itself, and so the Go router, takes 0 for. */
  private static final long VISIBILITY_OF_ZERO = 30;

  private QueueFields() {}

  /**
   * @throws ConfigException if it is no queue that we can serve
   */
  static QueueConfig read(String place, JsonNode node, Fields.UnknownKey unknown) {
    Fields fields = new Fields(place, ".", node, KEYS, unknown);
    String text =
        either(fields, URI, OLD_URI)
            .orElseThrow(() -> ConfigException.wrong(place, "must have a " + URI));
    QueueUri uri = uri(fields.place(fields.text(URI).isPresent() ? URI : OLD_URI), text);
    String name = name(place, uri, either(fields, NAME, OLD_NAME).orElse(text), text);
    long connections = Math.max(1, fields.number(CONNECTIONS, MOST_CONNECTIONS).orElse(1));
    long visibility = fields.number(VISIBILITY, MOST_VISIBILITY).orElse(DEFAULT_VISIBILITY);
    return new QueueConfig(
        name,
        uri,
        (int) connections,
        Duration.ofSeconds(visibility == 0 ? VISIBILITY_OF_ZERO : visibility));
  }

  private static Optional<String> either(Fields fields, String key, String oldKey) {
    Optional<String> value = fields.text(key);
    Optional<String> old = fields.text(oldKey);
    if (value.isPresent() && old.isPresent() && !value.equals(old)) {
      throw ConfigException.wrong(fields.place(oldKey), "contradicts " + key);
    }
    return value.or(() -> old);
  }

  private static QueueUri uri(String place, String text) {
    Matcher scheme = SCHEME.matcher(text);
    if (scheme.matches() && !BACKENDS.contains(scheme.group(1).toLowerCase(Locale.ROOT))) {
      throw ConfigException.wrong(
          place,
          "there is no backend for "
              + scheme.group(1)
              + "://, only for postgres://, postgresql:// and harel://");
    }
    try {
      return QueueUri.parse(text);
    } catch (IllegalArgumentException e) {
      throw ConfigException.wrong(place, String.valueOf(e.getMessage()).replaceFirst("^URI: ", ""));
    }
  }

  // The Go router takes the URI as it is written for the name, and looks for rows of that name. A
  // name is shown and logged, so one with a password in it cannot be.
  private static String name(String place, QueueUri uri, String given, String text) {
    if (uri.backend() == QueueUri.Backend.HAREL && given.equals(text)) {
      return uri.safe();
    }
    if (SECRET.matcher(given).matches()) {
      throw ConfigException.wrong(
          place,
          given.equals(text)
              ? "must have a " + NAME + "; its default, the URI, holds a password"
              : NAME + " must not hold a password");
    }
    return given;
  }
}
