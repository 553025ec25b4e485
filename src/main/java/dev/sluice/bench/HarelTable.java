package dev.sluice.bench;

import dev.sluice.queue.Message;
import dev.sluice.queue.MessageJson;
import dev.sluice.queue.Queue;
import dev.sluice.queue.SchemaReport.Extra;
import dev.sluice.queue.jdbc.SchemaTools;
import dev.sluice.queue.uri.QueueUri;
import dev.sluice.queue.uri.QueueUri.Backend;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;

/** The harel tables in a scratch schema, with groups of one shape and a message in each. */
final class HarelTable implements AutoCloseable {
  private static final String SEED = "harel_seed.sql";

  private final Scratch scratch;

  private HarelTable(Scratch scratch) {
    this.scratch = scratch;
  }

  /** Tables, index and functions as Python makes them, or with ours. */
  static HarelTable create(QueueUri uri, boolean ours) throws SQLException {
    Scratch scratch = Scratch.create(uri, Backend.HAREL);
    try {
      scratch.execute(SchemaTools.resource(SEED));
      if (ours) {
        scratch.queue().admin().createExtra(Extra.CLAIM_INDEXES);
      }
      return new HarelTable(scratch);
    } catch (SQLException | RuntimeException e) {
      scratch.close();
      throw e;
    }
  }

  /** Fills the tables anew, and has their statistics taken. */
  void fill(HarelShape shape, long groups) throws SQLException {
    scratch.execute(
        "TRUNCATE transport_groups, transport_messages RESTART IDENTITY",
        """
        INSERT INTO transport_groups (group_id, locked_by, lock_expiry)
        SELECT 'g' || i, %s FROM generate_series(1, %d) i"""
            .formatted(shape.columns(), groups));
    String event = MessageJson.write(Message.of("{id}", "http://127.0.0.1:9/orders"));
    try (PreparedStatement insert =
        connection()
            .prepareStatement(
                """
            INSERT INTO transport_messages (group_id, event)
            SELECT 'g' || i, replace(?, '{id}', i::text) FROM generate_series(1, ?) i""")) {
      insert.setString(1, event);
      insert.setLong(2, groups);
      insert.executeUpdate();
    }
    scratch.execute("VACUUM (ANALYZE) transport_groups, transport_messages");
  }

  /** Ours, on these tables. */
  Queue queue() {
    return scratch.queue();
  }

  Connection connection() {
    return scratch.connection();
  }

  Scratch scratch() {
    return scratch;
  }

  @Override
  public void close() {
    scratch.close();
  }
}
