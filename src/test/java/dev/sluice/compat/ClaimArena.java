package dev.sluice.compat;

import dev.sluice.model.LegacyTable;
import dev.sluice.queue.SchemaReport;
import dev.sluice.queue.legacy.LegacyQueue;
import dev.sluice.testing.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.function.LongSupplier;

/** A database on which Go and we claim by turns. */
final class ClaimArena implements AutoCloseable {
  private final TestDatabase database = TestDatabase.fresh();
  private final Connection own;
  private final Connection other;
  private final GoClaims go;

  /** What was done to the tables of the seed. */
  enum Kind {
    PLAIN(false, false),
    INDEXED(true, false),
    PLAIN_LINGUISTIC(false, true),
    INDEXED_LINGUISTIC(true, true);

    private final boolean indexed;
    private final boolean linguistic;

    Kind(boolean indexed, boolean linguistic) {
      this.indexed = indexed;
      this.linguistic = linguistic;
    }
  }

  ClaimArena(Kind kind, GoProgram program) throws Exception {
    own = database.connect();
    other = database.connect();
    other.setAutoCommit(false);
    LegacyTable.create(own);
    if (kind.linguistic) {
      LegacyTable.compareAsPeopleDo(own);
    }
    if (kind.indexed) {
      try (LegacyQueue any = LegacyQueue.builder(database.dataSource(), "any").build()) {
        any.admin().createExtra(SchemaReport.Extra.CLAIM_INDEXES);
      }
    }
    go = program.claims(database.uri());
  }

  LegacyQueue queue(String name, LongSupplier epochSeconds, Duration visibility) {
    return LegacyQueue.builder(database.dataSource(), name)
        .clock(epochSeconds)
        .visibility(visibility)
        .build();
  }

  /** The test's own connection, in auto-commit mode. */
  Connection own() {
    return own;
  }

  /** Another session's, outside of a transaction between uses. */
  Connection other() {
    return other;
  }

  GoClaims go() {
    return go;
  }

  @Override
  public void close() throws SQLException {
    try {
      go.close();
    } catch (java.io.IOException e) {
      throw new AssertionError("the Go program did not end well", e);
    } finally {
      own.close();
      other.close();
      database.close();
    }
  }
}
