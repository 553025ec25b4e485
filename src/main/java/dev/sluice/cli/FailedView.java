package dev.sluice.cli;

import dev.sluice.queue.FailedMessage;
import java.util.List;

/** Prints quarantined messages. */
final class FailedView {
  private static final int REASON_LENGTH = 100;

  private final Console console;

  FailedView(Console console) {
    this.console = console;
  }

  void printJson(List<FailedMessage> messages, boolean payload) {
    JsonDocument.print(
        console.out(),
        json ->
            json.array(
                "messages",
                array -> messages.forEach(m -> array.object(o -> write(o, m, payload)))));
  }

  private static void write(JsonDocument json, FailedMessage message, boolean payload) {
    json.field("id", message.id())
        .field("group", message.group())
        .field("error", message.error())
        .field("receiveCount", message.receiveCount())
        .field("createdAt", message.createdAt())
        .field("failedAt", message.failedAt());
    if (payload) {
      json.field("payload", message.payload());
    }
  }

  void printTable(List<FailedMessage> messages) {
    TextTable table = new TextTable("ID", "GROUP", "FAILED", ">RECEIVED", "ERROR");
    for (FailedMessage message : messages) {
      table.row(
          message.id(),
          message.group().orElse("-"),
          Words.time(message.failedAt()),
          receiveCount(message),
          Words.cut(message.error(), REASON_LENGTH));
    }
    table.print(console.out());
  }

  void printWhole(List<FailedMessage> messages) {
    for (FailedMessage message : messages) {
      line("id", message.id());
      line("group", message.group().orElse("-"));
      line("error", message.error());
      line("received", receiveCount(message));
      line("created", Words.time(message.createdAt()));
      line("failed", Words.time(message.failedAt()));
      line("payload", message.payload());
      console.out().println();
    }
  }

  private void line(String name, String value) {
    console.out().println("%-9s %s".formatted(name, Printable.text(value)));
  }

  private static String receiveCount(FailedMessage message) {
    return message.receiveCount().isPresent()
        ? String.valueOf(message.receiveCount().getAsInt())
        : "-";
  }
}
