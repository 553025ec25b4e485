package dev.sluice.queue.jdbc;

/** NUL, the one character that a column of text cannot hold. */
public final class Texts {
  private Texts() {}

  /**
   * This text.
   *
   * @param what names it in the refusal
   * @throws IllegalArgumentException if it holds a NUL
   */
  public static String requireNoNul(String what, String text) {
    if (text.indexOf('\0') >= 0) {
      throw new IllegalArgumentException(what + ": must not hold a NUL character");
    }
    return text;
  }

  /** This text with U+FFFD for each NUL, where it is somebody else's, such as a target's answer. */
  public static String withoutNul(String text) {
    return text.replace('\0', '\uFFFD');
  }
}
