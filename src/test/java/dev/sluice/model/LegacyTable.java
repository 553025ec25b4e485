package dev.sluice.model;

import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The tables of the seed as its own InitSchema makes them, and their rows in bulk. */
public final class LegacyTable {
  private static final String DDL =
      """
      CREATE TABLE queue_messages (
        id TEXT NOT NULL,
        queue_name TEXT NOT NULL,
        message_group_id TEXT,
        receipt_handle TEXT,
        visible_at BIGINT NOT NULL,
        payload TEXT NOT NULL,
        created_at BIGINT NOT NULL,
        receive_count INTEGER DEFAULT 0,
        PRIMARY KEY (queue_name, id)
      );
      CREATE INDEX idx_queue_visible ON queue_messages (queue_name, visible_at, message_group_id);
      CREATE TABLE queue_messages_failed (
        id TEXT,
        queue_name TEXT,
        message_group_id TEXT,
        payload TEXT NOT NULL,
        error_message TEXT NOT NULL,
        receive_count INTEGER,
        created_at BIGINT NOT NULL,
        failed_at BIGINT NOT NULL,
        PRIMARY KEY (queue_name, id)
      )
      """;

  private LegacyTable() {}

  /** Creates both tables and no index but the seed's. */
  public static void create(Connection connection) throws SQLException {
    execute(connection, DDL);
  }

  /**
   * Makes the text columns compare as people of a language would: upper and lower case next to each
   * other, punctuation in front. A database whose own collation does the same is the usual case.
   */
  public static void compareAsPeopleDo(Connection connection) throws SQLException {
    execute(
        connection,
        """
        ALTER TABLE queue_messages
          ALTER id TYPE TEXT COLLATE "en-x-icu",
          ALTER queue_name TYPE TEXT COLLATE "en-x-icu",
          ALTER message_group_id TYPE TEXT COLLATE "en-x-icu",
          ALTER receipt_handle TYPE TEXT COLLATE "en-x-icu"
        """);
  }

  /**
   * Empties both tables. DELETE leaves dead rows, as years of use do, and costs a tenth of
   * TRUNCATE.
   */
  public static void clear(Connection connection) throws SQLException {
    execute(connection, "DELETE FROM queue_messages; DELETE FROM queue_messages_failed");
  }

  /** Inserts rows as they are, in one statement. */
  public static void load(Connection connection, List<LegacyRow> rows) throws SQLException {
    String sql =
        """
        INSERT INTO queue_messages (queue_name, id, message_group_id, receipt_handle, visible_at,
          payload, created_at, receive_count)
        SELECT * FROM unnest(?::text[], ?::text[], ?::text[], ?::text[], ?::bigint[], ?::text[],
          ?::bigint[], ?::int[])
        """;
    try (PreparedStatement insert = connection.prepareStatement(sql)) {
      insert.setArray(1, texts(connection, rows.stream().map(LegacyRow::queue).toArray()));
      insert.setArray(2, texts(connection, rows.stream().map(LegacyRow::id).toArray()));
      insert.setArray(3, texts(connection, rows.stream().map(LegacyRow::group).toArray()));
      insert.setArray(4, texts(connection, rows.stream().map(LegacyRow::receipt).toArray()));
      insert.setArray(5, longs(connection, rows.stream().map(LegacyRow::visibleAt).toArray()));
      insert.setArray(6, texts(connection, rows.stream().map(LegacyRow::payload).toArray()));
      insert.setArray(7, longs(connection, rows.stream().map(LegacyRow::createdAt).toArray()));
      insert.setArray(8, ints(connection, rows.stream().map(LegacyRow::receives).toArray()));
      insert.executeUpdate();
    }
  }

  /** All rows, those of one queue together, in no order that means anything. */
  public static List<LegacyRow> rows(Connection connection) throws SQLException {
    List<LegacyRow> rows = new ArrayList<>();
    try (Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                """
                SELECT queue_name, id, message_group_id, receipt_handle, visible_at, payload,
                  created_at, receive_count
                FROM queue_messages ORDER BY queue_name COLLATE "C", id COLLATE "C"
                """)) {
      while (row.next()) {
        rows.add(
            new LegacyRow(
                row.getString(1),
                row.getString(2),
                row.getString(3),
                row.getString(4),
                row.getLong(5),
                row.getString(6),
                row.getLong(7),
                intOrNull(row, 8)));
      }
    }
    return rows;
  }

  /** The whole quarantine. */
  public static List<FailedRow> failed(Connection connection) throws SQLException {
    List<FailedRow> rows = new ArrayList<>();
    try (Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                """
                SELECT queue_name, id, message_group_id, payload, error_message, receive_count,
                  created_at, failed_at
                FROM queue_messages_failed ORDER BY queue_name COLLATE "C", id COLLATE "C"
                """)) {
      while (row.next()) {
        rows.add(
            new FailedRow(
                row.getString(1),
                row.getString(2),
                row.getString(3),
                row.getString(4),
                row.getString(5),
                intOrNull(row, 6),
                row.getLong(7),
                row.getLong(8)));
      }
    }
    return rows;
  }

  /** Locks rows as another poller does, until the connection's transaction ends. */
  public static void lock(Connection connection, List<LegacyRow> rows) throws SQLException {
    String sql =
        """
        SELECT 1 FROM queue_messages
        WHERE (queue_name, id) IN (SELECT * FROM unnest(?::text[], ?::text[])) FOR UPDATE
        """;
    try (PreparedStatement lock = connection.prepareStatement(sql)) {
      lock.setArray(1, texts(connection, rows.stream().map(LegacyRow::queue).toArray()));
      lock.setArray(2, texts(connection, rows.stream().map(LegacyRow::id).toArray()));
      lock.execute();
    }
  }

  /** The order in which the id column sorts these ids. Other ids may not be compared with it. */
  public static Comparator<String> idOrder(Connection connection, Collection<String> ids)
      throws SQLException {
    String sql = "SELECT x FROM unnest(?::text[]) x ORDER BY x COLLATE " + idCollation(connection);
    Map<String, Integer> ranks = new HashMap<>();
    try (PreparedStatement select = connection.prepareStatement(sql)) {
      select.setArray(1, texts(connection, ids.stream().distinct().toArray()));
      try (ResultSet row = select.executeQuery()) {
        while (row.next()) {
          ranks.put(row.getString(1), ranks.size());
        }
      }
    }
    return Comparator.comparingInt(id -> rank(ranks, id));
  }

  private static int rank(Map<String, Integer> ranks, String id) {
    Integer rank = ranks.get(id);
    if (rank == null) {
      throw new IllegalArgumentException("the database was not asked where '" + id + "' stands");
    }
    return rank;
  }

  private static String idCollation(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                """
                SELECT attcollation::regcollation::text FROM pg_attribute
                WHERE attrelid = 'queue_messages'::regclass AND attname = 'id'
                """)) {
      row.next();
      return row.getString(1);
    }
  }

  static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private static @Nullable Integer intOrNull(ResultSet row, int column) throws SQLException {
    int value = row.getInt(column);
    return row.wasNull() ? null : value;
  }

  static Array texts(Connection connection, Object[] values) throws SQLException {
    return connection.createArrayOf("text", values);
  }

  private static Array longs(Connection connection, Object[] values) throws SQLException {
    return connection.createArrayOf("bigint", values);
  }

  private static Array ints(Connection connection, Object[] values) throws SQLException {
    return connection.createArrayOf("int", values);
  }
}
