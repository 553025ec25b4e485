package dev.sluice.cli;

import dev.sluice.testing.TestDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;

/** Gives each test a database, which the program finds in FC_DATABASE_URL. */
abstract class WithDatabase {
  private final TestDatabase database = TestDatabase.fresh();

  @AfterEach
  final void drop() {
    database.close();
  }

  final TestDatabase database() {
    return database;
  }

  final CliRun.Shell shell() {
    return new CliRun.Shell().with("FC_DATABASE_URL", database.uri());
  }

  final CliRun run(String... arguments) {
    return shell().run(arguments);
  }

  final void initSchema() {
    run("schema", "init");
  }

  final void execute(String sql) {
    try (Connection connection = database.connect();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    } catch (SQLException e) {
      throw new AssertionError(sql, e);
    }
  }

  final List<String> query(String sql) {
    try (Connection connection = database.connect();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      List<String> values = new ArrayList<>();
      while (row.next()) {
        values.add(row.getString(1));
      }
      return values;
    } catch (SQLException e) {
      throw new AssertionError(sql, e);
    }
  }

  /** A row as a producer writes it. */
  final void publish(String queue, String group, String id, String target) {
    execute(
        "INSERT INTO queue_messages (id, queue_name, message_group_id, visible_at, payload,"
            + " created_at) VALUES ('%s', '%s', '%s', 1700000000, '%s', 1700000000)"
                .formatted(id, queue, group, payload(group, id, target)));
  }

  private static String payload(String group, String id, String target) {
    return "{\"id\":\"%s\",\"mediationType\":\"HTTP\",\"mediationTarget\":\"%s\",\"messageGroupId\":\"%s\",\"dispatchMode\":\"NEXT_ON_ERROR\"}"
        .formatted(id, target, group);
  }

  final void quarantine(String queue, String group, String id, String error) {
    execute(
        "INSERT INTO queue_messages_failed VALUES ('%s', '%s', '%s', '{}', '%s', 3, 1700000000, 1700000100)"
            .formatted(id, queue, group, error));
  }
}
