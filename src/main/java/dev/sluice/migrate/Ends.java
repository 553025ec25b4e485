package dev.sluice.migrate;

import dev.sluice.queue.QueueException;
import dev.sluice.queue.SchemaException;
import dev.sluice.queue.jdbc.SchemaTools;
import dev.sluice.queue.jdbc.Session;
import dev.sluice.queue.legacy.LegacyHold;
import dev.sluice.queue.uri.Database;
import dev.sluice.queue.uri.QueueUri;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;

/**
 * The two sides of a migration: one working connection each, or one for both where they are in one
 * database. Each holds a lock for as long as it lives, so that a second migration of the queue
 * waits until nothing of the first one can still be committed. Not thread-safe.
 */
final class Ends implements AutoCloseable {
  private static final Duration LOCK_PATIENCE = Duration.ofSeconds(10);
  private static final String LOCK_NOT_AVAILABLE = "55P03";

  private final Connection source;
  private final Connection target;
  private final boolean toHarel;
  private final Names names;
  private final long move;

  private Ends(Connection source, Connection target, boolean toHarel, Names names, long move) {
    this.source = source;
    this.target = target;
    this.toHarel = toHarel;
    this.names = names;
    this.move = move;
  }

  /**
   * Connects both sides.
   *
   * @throws SchemaException if a table is missing
   * @throws QueueException if another migration of this queue is under way
   */
  static Ends open(Database from, Database to, String queue) throws SQLException {
    boolean toHarel = to.uri().backend() == QueueUri.Backend.HAREL;
    Connection source = from.dataSource().getConnection();
    try {
      Connection target = to.dataSource().getConnection();
      try {
        return open(source, target, toHarel, queue, prefix(toHarel ? to : from));
      } catch (SQLException | RuntimeException e) {
        target.close();
        throw e;
      }
    } catch (SQLException | RuntimeException e) {
      source.close();
      throw e;
    }
  }

  private static String prefix(Database harel) {
    return harel.uri().prefix().map(p -> p.toLowerCase(Locale.ROOT) + "_").orElse("");
  }

  private static Ends open(
      Connection source, Connection target, boolean toHarel, String queue, String prefix)
      throws SQLException {
    Connection legacy = toHarel ? source : target;
    Connection harel = toHarel ? target : source;
    Map<String, String> names = new LinkedHashMap<>();
    names.put(Names.LEGACY, require(legacy, "queue_messages"));
    names.put(Names.LEGACY_FAILED, find(legacy, "queue_messages_failed"));
    names.put(Names.MESSAGES, require(harel, prefix + "transport_messages"));
    names.put(Names.GROUPS, require(harel, prefix + "transport_groups"));
    names.put(Names.HAREL_FAILED, find(harel, prefix + "transport_messages_failed"));
    names.put(Names.OWN, prefix);
    names.put(Names.SEQUENCE, sequence(harel, names.get(Names.MESSAGES)));
    names.put(Names.RECORD, recordName(target));
    // Stands in every row of the record, and in its key: short.
    long move =
        Session.query(
                target,
                "SELECT hashtextextended(?, 0)",
                row -> row.getLong(1),
                String.join(
                    "\n", toHarel ? "to harel" : "to legacy", queue, prefix, identity(source)))
            .get(0);
    boolean sameDatabase = sameDatabase(source, target);
    boolean together = sameDatabase && user(source).equals(user(target));
    Ends ends =
        together
            ? together(source, target, toHarel, new Names(names), move)
            : new Ends(source, target, toHarel, new Names(names), move);
    ends.prepare(queue, sameDatabase);
    return ends;
  }

  // Two users may each have one side's tables only: they work as if in two databases.
  private static Ends together(
      Connection source, Connection target, boolean toHarel, Names names, long move)
      throws SQLException {
    // The functions of the harel side find their tables by the search path of its connection.
    Connection both = toHarel ? target : source;
    (toHarel ? source : target).close();
    return new Ends(both, both, toHarel, names, move);
  }

  private void prepare(String queue, boolean sameDatabase) throws SQLException {
    lock(source, queue);
    if (!sameDatabase) {
      lock(target, queue);
    }
    for (Connection connection : List.of(source, target)) {
      // Batches find everything by key, also where the tables were never analysed.
      SchemaTools.execute(
          connection,
          "SET enable_seqscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off;"
              + " SET plan_cache_mode = force_generic_plan; SET work_mem = '32MB'");
      if (oneDatabase()) {
        // A server that crashes forgets a batch as a whole: it is where it was.
        SchemaTools.execute(connection, "SET synchronous_commit = off");
      }
      connection.setAutoCommit(false);
    }
  }

  // Waited for, not tried: polls take it together, one after the other, and a try may never find it
  // free.
  private static void lock(Connection connection, String queue) throws SQLException {
    SchemaTools.execute(connection, "SET lock_timeout = " + LOCK_PATIENCE.toMillis());
    try {
      Session.query(
          connection,
          "SELECT pg_advisory_lock(?, hashtext(?))",
          row -> true,
          LegacyHold.LOCK_SPACE,
          queue);
    } catch (SQLException e) {
      if (!LOCK_NOT_AVAILABLE.equals(e.getSQLState())) {
        throw e;
      }
      throw new QueueException(
          "another migration of queue '"
              + queue
              + "' is under way, or its session has not ended yet; wait for it, or end it, then run"
              + " this again");
    }
    SchemaTools.execute(connection, "RESET lock_timeout");
  }

  private static String require(Connection connection, String table) throws SQLException {
    String found = find(connection, table);
    if (found.isEmpty()) {
      throw new SchemaException(List.of("table " + table + " does not exist"));
    }
    return found;
  }

  /** The name with its schema; empty where there is no such table. */
  private static String find(Connection connection, String table) throws SQLException {
    return Session.query(
            connection,
            """
            SELECT quote_ident(n.nspname) || '.' || quote_ident(c.relname)
            FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
            WHERE c.oid = to_regclass(?)""",
            row -> row.getString(1),
            table)
        .stream()
        .findFirst()
        .orElse("");
  }

  private static String recordName(Connection target) throws SQLException {
    String found = find(target, RecordTable.NAME);
    return found.isEmpty()
        ? one(target, "SELECT quote_ident(current_schema())") + "." + RecordTable.NAME
        : found;
  }

  private static String sequence(Connection harel, String messages) throws SQLException {
    String sequence =
        Session.query(
                harel, "SELECT pg_get_serial_sequence(?, 'seq')", row -> row.getString(1), messages)
            .get(0);
    if (sequence == null) {
      throw new SchemaException(List.of("table " + messages + ": column seq has no sequence"));
    }
    return sequence;
  }

  // A lock that one side takes and the other sees: true of one database only, by whatever name.
  private static boolean sameDatabase(Connection source, Connection target) throws SQLException {
    int key = ThreadLocalRandom.current().nextInt();
    Session.query(
        source, "SELECT pg_advisory_lock(?, ?)", row -> true, LegacyHold.LOCK_SPACE + 1, key);
    boolean free =
        Session.query(
                target,
                "SELECT pg_try_advisory_lock(?, ?)",
                row -> row.getBoolean(1),
                LegacyHold.LOCK_SPACE + 1,
                key)
            .get(0);
    String unlock = "SELECT pg_advisory_unlock(?, ?)";
    if (free) {
      Session.query(target, unlock, row -> true, LegacyHold.LOCK_SPACE + 1, key);
    }
    Session.query(source, unlock, row -> true, LegacyHold.LOCK_SPACE + 1, key);
    return !free;
  }

  private static String user(Connection connection) throws SQLException {
    return one(connection, "SELECT current_user");
  }

  private static String identity(Connection connection) throws SQLException {
    return one(
        connection,
        """
        SELECT (SELECT system_identifier FROM pg_control_system()) || '/' || oid
        FROM pg_database WHERE datname = current_database()""");
  }

  private static String one(Connection connection, String sql) throws SQLException {
    return Session.query(connection, sql, row -> row.getString(1)).get(0);
  }

  Connection source() {
    return source;
  }

  Connection target() {
    return target;
  }

  boolean oneDatabase() {
    return source == target;
  }

  boolean toHarel() {
    return toHarel;
  }

  Names names() {
    return names;
  }

  /** What the record calls this migration. */
  long move() {
    return move;
  }

  void commit() throws SQLException {
    target.commit();
    if (!oneDatabase()) {
      source.commit();
    }
  }

  void rollBack() throws SQLException {
    target.rollback();
    if (!oneDatabase()) {
      source.rollback();
    }
  }

  @Override
  public void close() throws SQLException {
    // What is under way is given up before the pool takes the connection, which it is not to keep.
    try (Connection first = source;
        Connection second = target) {
      if (!second.isClosed()) {
        second.rollback();
      }
      if (!first.isClosed()) {
        first.rollback();
      }
    }
  }
}
