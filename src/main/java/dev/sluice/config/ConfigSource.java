package dev.sluice.config;

import dev.sluice.delivery.TargetUrl;
import dev.sluice.delivery.UndeliverableException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Locale;

/** Where a config comes from. Its text form is fit to be shown. */
public sealed interface ConfigSource {

  /** A file, read anew each time. */
  record File(Path path) implements ConfigSource {
    @Override
    public String toString() {
      return path.toString();
    }
  }

  /** An http or https URL; user info in it becomes Basic. */
  record Url(TargetUrl url) implements ConfigSource {
    @Override
    public String toString() {
      return url.safe();
    }
  }

  /**
   * Reads what a person writes: an http or https URL, anything else being a path.
   *
   * @throws IllegalArgumentException if it is neither; the message repeats no secret
   */
  static ConfigSource parse(String text) {
    String given = text.strip();
    String scheme = given.toLowerCase(Locale.ROOT);
    if (scheme.startsWith("http:") || scheme.startsWith("https:")) {
      try {
        return new Url(TargetUrl.parse(given));
      } catch (UndeliverableException e) {
        throw new IllegalArgumentException(
            "no URL of a config: " + e.reason().replace("target URL", "URL"));
      }
    }
    if (given.isEmpty() || given.contains("://")) {
      throw new IllegalArgumentException("must be a file, or an http or https URL");
    }
    try {
      return new File(Path.of(given));
    } catch (InvalidPathException e) {
      throw new IllegalArgumentException("no path of a file");
    }
  }
}
