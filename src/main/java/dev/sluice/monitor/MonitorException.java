package dev.sluice.monitor;

/** The endpoint cannot listen where it should; the message is one line that names the address. */
public final class MonitorException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  MonitorException(String message, Throwable cause) {
    super(message, cause);
  }
}
