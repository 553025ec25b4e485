package dev.sluice.model;

import dev.sluice.queue.jdbc.SchemaTools;
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

/** The tables of one harel deployment as Python makes them, our quarantine, and their rows. */
public final class HarelTables {
  private static final String TABLES =
      """
      CREATE TABLE {messages} (seq BIGSERIAL PRIMARY KEY, group_id TEXT NOT NULL,
        event TEXT NOT NULL);
      CREATE INDEX {messages_index} ON {messages} (group_id, seq);
      CREATE TABLE {groups} (group_id TEXT PRIMARY KEY, locked_by TEXT,
        lock_expiry DOUBLE PRECISION, priority INT NOT NULL DEFAULT 0)
      """;

  private static final String CLAIM =
      """
      CREATE OR REPLACE FUNCTION {claim}(p_now double precision, p_lease double precision,
        p_token text, p_min_priority int DEFAULT 0)
      RETURNS TABLE(group_id text, seq bigint, event text) AS $$
      DECLARE g text;
      BEGIN
        LOOP
          UPDATE {groups} tg SET locked_by = p_token, lock_expiry = p_lease
          WHERE tg.group_id = (
            SELECT s.group_id FROM {groups} s
            WHERE (s.locked_by IS NULL OR s.lock_expiry < p_now)
              AND s.priority >= p_min_priority
            ORDER BY COALESCE(s.lock_expiry, 0) ASC, s.group_id FOR UPDATE SKIP LOCKED LIMIT 1
          ) RETURNING tg.group_id INTO g;
          IF g IS NULL THEN RETURN; END IF;
          RETURN QUERY SELECT m.group_id, m.seq, m.event FROM {messages} m
                       WHERE m.group_id = g ORDER BY m.seq LIMIT 1;
          IF FOUND THEN RETURN; END IF;
          DELETE FROM {groups} WHERE {groups}.group_id = g AND locked_by = p_token;
        END LOOP;
      END; $$ LANGUAGE plpgsql
      """;

  private static final String ACK =
      """
      CREATE OR REPLACE FUNCTION {ack}(p_group text, p_seq bigint, p_token text,
        p_now double precision)
      RETURNS void AS $$
      BEGIN
        {fence}
          DELETE FROM {messages} WHERE seq = p_seq;
          IF EXISTS (SELECT 1 FROM {messages} WHERE group_id = p_group) THEN
            UPDATE {groups} SET locked_by = NULL, lock_expiry = p_now
            WHERE group_id = p_group AND locked_by = p_token;
          ELSE
            DELETE FROM {groups} WHERE group_id = p_group AND locked_by = p_token;
          END IF;
        END IF;
      END; $$ LANGUAGE plpgsql
      """;

  private static final String QUARANTINE =
      """
      CREATE TABLE {failed} (seq BIGINT PRIMARY KEY, group_id TEXT NOT NULL, event TEXT NOT NULL,
        error_message TEXT NOT NULL, priority INT, failed_at BIGINT NOT NULL)
      """;

  private HarelTables() {}

  /** Creates what Python creates, and the quarantine. */
  public static void create(Connection connection, HarelNames names, HarelVersion version)
      throws SQLException {
    SchemaTools.execute(connection, names.sql(TABLES));
    SchemaTools.execute(connection, names.sql(version.groupsIndex()));
    SchemaTools.execute(connection, names.sql(CLAIM));
    SchemaTools.execute(connection, names.sql(ACK.replace("{fence}", version.fence())));
    SchemaTools.execute(connection, names.sql(QUARANTINE));
  }

  /** Makes group ids compare as people of a language would, as most databases do by default. */
  public static void compareAsPeopleDo(Connection connection, HarelNames names)
      throws SQLException {
    for (String table : List.of(names.messages(), names.groups(), names.failed())) {
      SchemaTools.execute(
          connection,
          "ALTER TABLE %s ALTER group_id TYPE TEXT COLLATE \"en-x-icu\"".formatted(table));
    }
  }

  /** Empties all three; DELETE leaves dead rows, as years of use do. */
  public static void clear(Connection connection, HarelNames names) throws SQLException {
    SchemaTools.execute(
        connection,
        names.sql("DELETE FROM {messages}; DELETE FROM {groups}; DELETE FROM {failed}"));
  }

  /** Writes a group's row as it is, over the one that is there. */
  public static void put(Connection connection, HarelNames names, HarelGroup group)
      throws SQLException {
    String sql =
        """
        INSERT INTO {groups} (group_id, locked_by, lock_expiry, priority) VALUES (?, ?, ?, ?)
        ON CONFLICT (group_id) DO UPDATE SET locked_by = excluded.locked_by,
          lock_expiry = excluded.lock_expiry, priority = excluded.priority
        """;
    try (PreparedStatement put = connection.prepareStatement(names.sql(sql))) {
      put.setString(1, group.group());
      put.setString(2, group.lockedBy());
      put.setObject(3, group.lockExpiry());
      put.setInt(4, group.priority());
      put.executeUpdate();
    }
  }

  /** Inserts a message without a look at its group. */
  public static HarelMessage insert(
      Connection connection, HarelNames names, String group, String event) throws SQLException {
    String sql = "INSERT INTO {messages} (group_id, event) VALUES (?, ?) RETURNING seq";
    try (PreparedStatement insert = connection.prepareStatement(names.sql(sql))) {
      insert.setString(1, group);
      insert.setString(2, event);
      try (ResultSet row = insert.executeQuery()) {
        row.next();
        return new HarelMessage(row.getLong(1), group, event);
      }
    }
  }

  /** All groups, in no order that means anything. */
  public static List<HarelGroup> groups(Connection connection, HarelNames names)
      throws SQLException {
    return rows(
        connection,
        names.sql("SELECT group_id, locked_by, lock_expiry, priority FROM {groups}"),
        row ->
            new HarelGroup(
                row.getString(1), row.getString(2), row.getObject(3, Double.class), row.getInt(4)));
  }

  /** All messages by seq. */
  public static List<HarelMessage> messages(Connection connection, HarelNames names)
      throws SQLException {
    return rows(
        connection,
        names.sql("SELECT seq, group_id, event FROM {messages} ORDER BY seq"),
        row -> new HarelMessage(row.getLong(1), row.getString(2), row.getString(3)));
  }

  /** Messages that nobody can claim, for their group has no row. */
  public static List<HarelMessage> stranded(Connection connection, HarelNames names)
      throws SQLException {
    return rows(
        connection,
        names.sql(
            """
            SELECT seq, group_id, event FROM {messages} m
            WHERE NOT EXISTS (SELECT 1 FROM {groups} g WHERE g.group_id = m.group_id)
            ORDER BY seq
            """),
        row -> new HarelMessage(row.getLong(1), row.getString(2), row.getString(3)));
  }

  /** The quarantine by seq. */
  public static List<HarelFailed> failed(Connection connection, HarelNames names)
      throws SQLException {
    return rows(
        connection,
        names.sql(
            """
            SELECT seq, group_id, event, error_message, priority, failed_at
            FROM {failed} ORDER BY seq
            """),
        row ->
            new HarelFailed(
                row.getLong(1),
                row.getString(2),
                row.getString(3),
                row.getString(4),
                row.getObject(5, Integer.class),
                row.getLong(6)));
  }

  /** The order in which the groups' id column sorts these. Others may not be compared with it. */
  public static Comparator<String> groupOrder(
      Connection connection, HarelNames names, Collection<String> groups) throws SQLException {
    String collation =
        """
        SELECT attcollation::regcollation::text FROM pg_attribute
        WHERE attrelid = '{groups}'::regclass AND attname = 'group_id'
        """;
    String sql =
        "SELECT x FROM unnest(?::text[]) x ORDER BY x COLLATE "
            + rows(connection, names.sql(collation), row -> row.getString(1)).get(0);
    Map<String, Integer> ranks = new HashMap<>();
    try (PreparedStatement select = connection.prepareStatement(sql)) {
      select.setArray(1, connection.createArrayOf("text", groups.stream().distinct().toArray()));
      try (ResultSet row = select.executeQuery()) {
        while (row.next()) {
          ranks.put(row.getString(1), ranks.size());
        }
      }
    }
    return Comparator.comparingInt(group -> rank(ranks, group));
  }

  private static int rank(Map<String, Integer> ranks, String group) {
    Integer rank = ranks.get(group);
    if (rank == null) {
      throw new IllegalArgumentException("the database was not asked where '" + group + "' stands");
    }
    return rank;
  }

  @FunctionalInterface
  private interface Reader<T extends @Nullable Object> {
    T read(ResultSet row) throws SQLException;
  }

  private static <T> List<T> rows(Connection connection, String sql, Reader<T> reader)
      throws SQLException {
    List<T> rows = new ArrayList<>();
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      while (row.next()) {
        rows.add(reader.read(row));
      }
    }
    return rows;
  }
}
