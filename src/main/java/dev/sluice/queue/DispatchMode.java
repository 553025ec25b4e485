package dev.sluice.queue;

/** How the messages of one group follow each other. */
public enum DispatchMode {
  /** At the same time, in any order. */
  IMMEDIATE,
  /** One after the other; a rejected one is passed over. */
  NEXT_ON_ERROR,
  /** One after the other; a rejected one stops its group. */
  BLOCK_ON_ERROR;

  /** The mode that a message names; {@link #IMMEDIATE} for an absent or unknown name. */
  public static DispatchMode of(String name) {
    return switch (name) {
      case "NEXT_ON_ERROR" -> NEXT_ON_ERROR;
      case "BLOCK_ON_ERROR" -> BLOCK_ON_ERROR;
      default -> IMMEDIATE;
    };
  }
}
