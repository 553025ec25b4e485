package dev.sluice.migrate;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Cuts keys, in the order of their groups, into chunks. Not thread-safe. */
final class Chunks {
  /** Payloads of one chunk pass through memory when the sides are two databases. */
  private static final long MOST_BYTES = 16L << 20;

  private final Source source;
  private final int most;
  private final List<RowKey> waiting = new ArrayList<>();
  private String lastGroup = "";
  private boolean begun;

  /** Where keys come from; an empty list ends it. */
  @FunctionalInterface
  interface Source {
    List<RowKey> next() throws SQLException;
  }

  Chunks(Source source, int most) {
    this.source = source;
    this.most = most;
  }

  /** The next chunk; empty at the end. */
  Optional<Chunk> next() throws SQLException {
    fill();
    if (waiting.isEmpty()) {
      return Optional.empty();
    }
    int size = size();
    List<RowKey> keys = new ArrayList<>(waiting.subList(0, size));
    waiting.subList(0, size).clear();
    boolean continued = begun && keys.get(0).group().equals(lastGroup);
    begun = true;
    lastGroup = keys.get(keys.size() - 1).group();
    return Optional.of(new Chunk(keys, continued));
  }

  // One more than a chunk holds: whether its last group is whole.
  private void fill() throws SQLException {
    while (waiting.size() <= most) {
      List<RowKey> more = source.next();
      if (more.isEmpty()) {
        return;
      }
      waiting.addAll(more);
    }
  }

  private int size() {
    int fits = 0;
    long bytes = 0;
    while (fits < waiting.size() && fits < most) {
      bytes += waiting.get(fits).bytes();
      if (fits > 0 && bytes > MOST_BYTES) {
        break;
      }
      fits++;
    }
    if (fits == waiting.size()) {
      return fits;
    }
    String next = waiting.get(fits).group();
    int whole = fits;
    while (whole > 0 && waiting.get(whole - 1).group().equals(next)) {
      whole--;
    }
    // Rows of a group that an earlier chunk began stay alone, and so do those of a group too large.
    return whole > 0 ? whole : fits;
  }
}
