package dev.sluice.compat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The events of fixtures/harel-events.jsonl, as the package has written them. */
final class HarelFixture {
  private static final JsonMapper JSON = JsonMapper.builder().build();

  private HarelFixture() {}

  /**
   * A row of the queue.
   *
   * @param id of the event
   */
  record Row(String group, int priority, String event, String id) {
    /** Whether it is one that carries a message. */
    boolean carriesMessage() {
      return id.startsWith("message-");
    }

    /** The text of the message that it carries. */
    String data() throws IOException {
      return JSON.readTree(event).get("data").toString();
    }
  }

  static List<String> lines() throws IOException {
    // Not readAllLines, which would also end a line at a raw carriage return.
    return List.of(Files.readString(Path.of("fixtures", "harel-events.jsonl")).split("\n"));
  }

  static List<Row> rows() throws IOException {
    List<Row> rows = new ArrayList<>();
    for (String line : lines()) {
      JsonNode row = JSON.readTree(line);
      String event = row.get("event").textValue();
      rows.add(
          new Row(
              row.get("group_id").textValue(),
              row.get("priority").intValue(),
              event,
              JSON.readTree(event).get("id").textValue()));
    }
    return rows;
  }
}
