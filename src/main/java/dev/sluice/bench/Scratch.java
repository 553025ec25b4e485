package dev.sluice.bench;

import dev.sluice.queue.Queue;
import dev.sluice.queue.jdbc.SchemaTools;
import dev.sluice.queue.uri.Database;
import dev.sluice.queue.uri.QueueSettings;
import dev.sluice.queue.uri.QueueUri;
import dev.sluice.queue.uri.QueueUri.Backend;
import dev.sluice.queue.uri.Queues;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A schema of its own in somebody's database, with nothing in it; dropped when closed. */
final class Scratch implements AutoCloseable {
  /** What the queue of the tables is called. */
  static final String QUEUE = "q";

  private static final Logger log = LoggerFactory.getLogger(Scratch.class);

  // Longer than any measurement: what was claimed stays so.
  static final Duration VISIBILITY = Duration.ofHours(12);
  private static final int CONNECTIONS = 12;

  private final String schema;
  private final Database database;
  private final Connection connection;

  private Scratch(String schema, Database database, Connection connection) {
    this.schema = schema;
    this.database = database;
    this.connection = connection;
  }

  /**
   * Creates it.
   *
   * @throws SQLException if the user may not create schemas, or the database does not answer
   */
  static Scratch create(QueueUri uri, Backend backend) throws SQLException {
    String schema = "sluice_bench_" + UUID.randomUUID().toString().substring(0, 8);
    Database database = Database.open(uri.inSchema(backend, schema), CONNECTIONS);
    try {
      Scratch scratch = new Scratch(schema, database, database.dataSource().getConnection());
      scratch.execute("CREATE SCHEMA " + schema);
      return scratch;
    } catch (SQLException e) {
      database.close();
      throw e;
    }
  }

  /** A queue on the tables of the schema, created where they are missing. */
  Queue queue() {
    Queue queue =
        Queues.open(
            database, Optional.of(QUEUE), new QueueSettings(VISIBILITY, false, Optional.empty()));
    queue.initSchema();
    return queue;
  }

  /** The one for preparations and for the seeds' statements, as long as this is open. */
  Connection connection() {
    return connection;
  }

  /** A further one, for its taker to close. */
  Connection connect() throws SQLException {
    return database.dataSource().getConnection();
  }

  void execute(String... statements) throws SQLException {
    for (String sql : statements) {
      SchemaTools.execute(connection, sql);
    }
  }

  @Override
  public void close() {
    try {
      execute("DROP SCHEMA IF EXISTS " + schema + " CASCADE");
    } catch (SQLException e) {
      log.warn("scratch schema is left behind schema={} reason=\"{}\"", schema, e.getMessage());
    } finally {
      // With its connections.
      database.close();
    }
  }
}
