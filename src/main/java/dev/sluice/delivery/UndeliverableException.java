package dev.sluice.delivery;

/** A message that can never be delivered as it is; the text says why and holds no secret. */
public final class UndeliverableException extends Exception {

  UndeliverableException(String reason) {
    super(reason, null, false, false);
  }

  /** Why, in a few words for a person. */
  public String reason() {
    return String.valueOf(getMessage());
  }
}
