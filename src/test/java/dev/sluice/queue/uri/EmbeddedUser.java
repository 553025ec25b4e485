package dev.sluice.queue.uri;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * A program that uses the embedded server, for tests that need several processes. It prints {@code
 * port N}, then answers each line that it reads: {@code SQL} with the first value, {@code close} by
 * closing and ending. On a signal it prints what {@code SELECT 1} gives before it closes.
 */
final class EmbeddedUser {
  private EmbeddedUser() {}

  public static void main(String[] arguments) throws Exception {
    EmbeddedPostgres postgres = EmbeddedPostgres.open(Path.of(arguments[0]));
    Thread onSignal =
        new Thread(
            () -> {
              say("interrupted " + query(postgres, "SELECT 1"));
              postgres.close();
            });
    Runtime.getRuntime().addShutdownHook(onSignal);
    say("port " + postgres.port());
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      if (line.equals("close")) {
        Runtime.getRuntime().removeShutdownHook(onSignal);
        postgres.close();
        say("closed");
        return;
      }
      say(query(postgres, line));
    }
  }

  static String query(EmbeddedPostgres postgres, String sql) {
    try (Connection connection = connect(postgres);
        Statement statement = connection.createStatement()) {
      if (!statement.execute(sql)) {
        return "done";
      }
      try (ResultSet row = statement.getResultSet()) {
        row.next();
        return row.getString(1);
      }
    } catch (SQLException e) {
      return "failed: " + e.getMessage();
    }
  }

  static Connection connect(EmbeddedPostgres postgres) throws SQLException {
    return DriverManager.getConnection(
        "jdbc:postgresql://%s:%d/%s"
            .formatted(postgres.host(), postgres.port(), postgres.database()),
        postgres.user(),
        postgres.password());
  }

  private static void say(String line) {
    System.out.println(line);
    System.out.flush();
  }
}
