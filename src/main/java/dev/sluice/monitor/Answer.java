package dev.sluice.monitor;

/**
 * What a path answers.
 *
 * @param status the HTTP status
 * @param contentType with its character set, UTF-8
 */
record Answer(int status, String contentType, String body) {
  static final int OK = 200;
  static final int UNAVAILABLE = 503;

  static Answer json(int status, String body) {
    return new Answer(status, "application/json; charset=utf-8", body + "\n");
  }

  static Answer text(int status, String body) {
    return new Answer(status, "text/plain; charset=utf-8", body + "\n");
  }
}
