package dev.sluice.queue.harel;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Keeps an extension from undoing a park. A parked group keeps its token, so an extension that was
 * asked for before the message went back, and comes after it, would hold the group for the
 * visibility timeout instead of the delay. Thread-safe.
 */
final class Parked {
  /** More than go back between an extension's being asked for and its statement. */
  private static final int REMEMBERED = 20_000;

  private final ReadWriteLock lock = new ReentrantReadWriteLock();

  private final Map<Claim, Boolean> parked =
      new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Claim, Boolean> eldest) {
          return size() > REMEMBERED;
        }
      };

  /** Runs a statement that parks these, with no extension under way. */
  <T> T parking(List<Claim> claims, Supplier<T> statement) {
    if (claims.isEmpty()) {
      return statement.get();
    }
    lock.writeLock().lock();
    try {
      // Also when the statement fails: it may have been committed.
      claims.forEach(claim -> parked.put(claim, true));
      return statement.get();
    } finally {
      lock.writeLock().unlock();
    }
  }

  /** Runs a statement that extends those of these claims that are not parked. */
  <T> T extending(List<Claim> claims, Function<List<Claim>, T> statement) {
    lock.readLock().lock();
    try {
      return statement.apply(claims.stream().filter(c -> !parked.containsKey(c)).toList());
    } finally {
      lock.readLock().unlock();
    }
  }
}
