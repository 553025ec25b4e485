package dev.sluice.bench;

import dev.sluice.queue.Message;
import dev.sluice.queue.MessageJson;
import dev.sluice.queue.Queue;
import dev.sluice.queue.Receipt;
import dev.sluice.queue.SchemaReport.Extra;
import dev.sluice.queue.uri.QueueUri;
import dev.sluice.queue.uri.QueueUri.Backend;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.IntStream;

/** {@code queue_messages} in a scratch schema, with rows of one shape. */
final class LegacyTable implements AutoCloseable {
  private static final String FILL =
      """
      INSERT INTO queue_messages (message_group_id, receipt_handle, visible_at, queue_name, id,
        payload, created_at, receive_count)
      SELECT %s, lpad(i::text, 13, '0'), replace(?, '{id}', lpad(i::text, 13, '0')), c, 0
      FROM (SELECT i, ?::bigint AS n, 1700000000 + i / 50 AS c FROM generate_series(?, ?) i) rows
      ON CONFLICT (queue_name, id) DO NOTHING
      """;

  private static final String HOLD =
      """
      UPDATE queue_messages SET receipt_handle = ? || id, visible_at = 4000000000
      WHERE queue_name = 'q' AND id = ANY (?)
      """;

  private final Scratch scratch;
  private Queue queue;

  private LegacyTable(Scratch scratch, Queue queue) {
    this.scratch = scratch;
    this.queue = queue;
  }

  /** An empty table, with the seed's two indexes, and with our claim indexes where wanted. */
  static LegacyTable create(QueueUri uri, boolean indexed) throws SQLException {
    Scratch scratch = Scratch.create(uri, Backend.LEGACY);
    try {
      Queue queue = scratch.queue();
      if (indexed) {
        queue.admin().createExtra(Extra.CLAIM_INDEXES);
      }
      return new LegacyTable(scratch, queue);
    } catch (RuntimeException e) {
      scratch.close();
      throw e;
    }
  }

  /** Fills the table anew, has its statistics taken, and opens the queue anew. */
  void fill(LegacyShape shape, long rows, String target) throws SQLException {
    scratch.execute("TRUNCATE queue_messages");
    insert(shape, rows, 1, rows, target);
    scratch.execute("VACUUM (ANALYZE) queue_messages");
    // What it knows of the table is about rows that are gone.
    queue = scratch.queue();
  }

  /** Writes the rows of these numbers that are not there. */
  void insert(LegacyShape shape, long rows, long from, long to, String target) throws SQLException {
    try (PreparedStatement insert =
        connection().prepareStatement(FILL.formatted(shape.columns()))) {
      insert.setString(1, MessageJson.write(Message.of("{id}", target)));
      insert.setLong(2, rows);
      insert.setLong(3, from);
      insert.setLong(4, to);
      insert.executeUpdate();
    }
  }

  /**
   * Has these rows of the queue claimed, as a poll would.
   *
   * @return their receipts
   */
  List<Receipt> hold(List<String> ids) throws SQLException {
    String poll = "00000000-0000-4000-8000-000000000000:";
    try (PreparedStatement hold = connection().prepareStatement(HOLD)) {
      hold.setString(1, poll);
      hold.setArray(2, connection().createArrayOf("text", ids.toArray()));
      hold.executeUpdate();
    }
    return ids.stream().map(id -> new Receipt(poll + id)).toList();
  }

  /** The ids of the last rows of those that {@link #fill} wrote. */
  static List<String> lastIds(long rows, int count) {
    return IntStream.range(0, count).mapToObj(i -> "%013d".formatted(rows - i)).toList();
  }

  /** Ours, on this table. */
  Queue queue() {
    return queue;
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
