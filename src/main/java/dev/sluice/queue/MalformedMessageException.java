package dev.sluice.queue;

/**
 * A payload is no {@link Message}. The text says why and where, and quotes nothing of the payload.
 */
public class MalformedMessageException extends Exception {
  private static final long serialVersionUID = 1L;

  public MalformedMessageException(String reason) {
    super(reason);
  }
}
