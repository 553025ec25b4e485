package dev.sluice.config;

/** A config that cannot be used; the message is one line that names the place and no secret. */
public final class ConfigException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final boolean unanswered;

  private ConfigException(String message, boolean unanswered) {
    super(message);
    this.unanswered = unanswered;
  }

  /** The content is wrong: asking again brings the same. */
  static ConfigException wrong(String place, String what) {
    return new ConfigException(place + ": " + what, false);
  }

  /** No content came: asking again may help. */
  static ConfigException unanswered(String source, String why) {
    return new ConfigException(source + ": " + why, true);
  }

  /** Whether a source did not answer, rather than answered with something wrong. */
  public boolean isUnanswered() {
    return unanswered;
  }
}
