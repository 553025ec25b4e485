package dev.sluice.e2e;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Rows of {@code queue_messages} as a Go program wrote them, in the order of their publishing. */
final class Fixture {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Pattern ID_LITERAL = Pattern.compile("\\{\"id\":(\"(?:[^\"\\\\]|\\\\.)*\")");

  /** One row. */
  record Row(
      String id,
      String queue,
      @Nullable String group,
      @Nullable String receipt,
      long visibleOffset,
      long createdOffset,
      @Nullable Integer receives,
      String payload) {

    String claimGroup() {
      return group == null ? id : group;
    }

    boolean claimedElsewhere() {
      return receipt != null && visibleOffset > 0;
    }

    boolean delayedLong() {
      return receipt == null && visibleOffset > 60;
    }

    /** The request body that this row asks for, made of the very text that Go wrote. */
    String body() {
      Matcher literal = ID_LITERAL.matcher(payload);
      if (!literal.lookingAt()) {
        throw new AssertionError("no id in front of the payload of " + id);
      }
      return "{\"messageId\":" + literal.group(1) + "}";
    }

    Optional<JsonNode> message() {
      try {
        JsonNode node = JSON.readerFor(JsonNode.class).readValue(payload);
        return node != null && node.isObject() ? Optional.of(node) : Optional.empty();
      } catch (IOException e) {
        return Optional.empty();
      }
    }

    String mode() {
      return message().map(m -> m.path("dispatchMode").asText("")).orElse("");
    }
  }

  private Fixture() {}

  static List<Row> read(int port) throws IOException {
    List<Row> rows = new ArrayList<>();
    for (String line : Files.readAllLines(Path.of("fixtures", "queue-messages.jsonl"))) {
      JsonNode node = JSON.readTree(line);
      rows.add(
          new Row(
              node.get("id").asText(),
              node.get("queue_name").asText(),
              node.get("message_group_id").isNull() ? null : node.get("message_group_id").asText(),
              node.get("receipt_handle").isNull() ? null : node.get("receipt_handle").asText(),
              node.get("visible_offset").asLong(),
              node.get("created_offset").asLong(),
              node.get("receive_count").isNull() ? null : node.get("receive_count").asInt(),
              node.get("payload").asText().replace("{PORT}", Integer.toString(port))));
    }
    return rows;
  }

  static void load(Connection connection, List<Row> rows) throws SQLException {
    try (PreparedStatement insert =
        connection.prepareStatement(
            "INSERT INTO queue_messages (id, queue_name, message_group_id, receipt_handle,"
                + " visible_at, payload, created_at, receive_count)"
                + " SELECT ?, ?, ?, ?, t.now + ?, ?, t.now + ?, ?"
                + " FROM (SELECT floor(extract(epoch FROM now()))::bigint AS now) t")) {
      connection.setAutoCommit(false);
      for (Row row : rows) {
        insert.setString(1, row.id());
        insert.setString(2, row.queue());
        insert.setString(3, row.group());
        insert.setString(4, row.receipt());
        insert.setLong(5, row.visibleOffset());
        insert.setString(6, row.payload());
        insert.setLong(7, row.createdOffset());
        if (row.receives() == null) {
          insert.setNull(8, Types.INTEGER);
        } else {
          insert.setInt(8, row.receives());
        }
        insert.addBatch();
      }
      insert.executeBatch();
      connection.commit();
      connection.setAutoCommit(true);
    }
  }
}
