package dev.sluice.router;

import java.time.Duration;

/**
 * Hears what a router does, as it happens. Called on the router's own thread: implementations
 * return at once and throw nothing.
 */
public interface RouterListener {

  /** Hears nothing. */
  RouterListener NONE = new RouterListener() {};

  /** How a claim ended, once that is committed. */
  enum End {
    /** The row is gone, delivered or not. */
    ACKED,
    /** It went back after a failure. */
    NACKED,
    /** It went back without one. */
    DEFERRED,
    /** It is in quarantine. */
    REJECTED
  }

  /** A poll brought in messages, from 1. */
  default void received(String queue, int messages) {}

  /**
   * A call of a target is over.
   *
   * @param took from its start to its outcome, tries and the pauses between them included
   */
  default void called(String pool, Duration took) {}

  /**
   * A message is decided: delivered, or not.
   *
   * @param delivered false for one that was rejected or goes back after a failure
   */
  default void processed(String pool, boolean delivered) {}

  /** A message had a free worker and had to wait because of its pool's rate. */
  default void rateExceeded(String pool) {}

  /** A message was handed back because its pool was full. */
  default void poolFull(String pool) {}

  /** A message was acked without a call because its group was flushed. */
  default void suppressed(String pool) {}

  /** A claim ended in the database. */
  default void settled(String queue, End end) {}
}
