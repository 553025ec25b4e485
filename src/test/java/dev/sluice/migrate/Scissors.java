package dev.sluice.migrate;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Counts the requests that go through one or more {@link CutProxy proxies}, and says which one is
 * the last. Thread-safe.
 */
final class Scissors {
  /** On which side of its last request a session ends. */
  enum Cut {
    /** The server does not get it. */
    BEFORE,
    /** The server has done it, and the client does not learn so. */
    AFTER
  }

  private final int at;
  private final Cut cut;
  private final List<String> requests = new ArrayList<>();
  private final AtomicBoolean done = new AtomicBoolean();

  private Scissors(int at, Cut cut) {
    this.at = at;
    this.cut = cut;
  }

  /**
   * @param request its number, from 1
   */
  static Scissors at(int request, Cut cut) {
    return new Scissors(request, cut);
  }

  static Scissors none() {
    return new Scissors(0, Cut.BEFORE);
  }

  /** Counts a request and says whether it is the last. */
  synchronized boolean isLast(String sql) {
    requests.add(sql);
    return requests.size() == at;
  }

  /** What was asked for, in order. */
  synchronized List<String> requests() {
    return List.copyOf(requests);
  }

  Cut cut() {
    return cut;
  }

  void close() {
    done.set(true);
  }

  /** Whether the request to be cut has come. */
  boolean haveCut() {
    return done.get();
  }
}
