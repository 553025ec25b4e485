package dev.sluice.cli;

import dev.sluice.queue.PeekedMessage;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The next messages, claiming none. */
@Command(
    name = "peek",
    description = "Show the next messages as a poll would claim them, claiming none.",
    sortOptions = false,
    footer = {
      "",
      "Examples:",
      "  sluice peek --queue orders",
      "  sluice peek --queue orders --group order-17 --payload --json"
    })
final class PeekCommand implements Callable<Integer> {
  private final Console console;

  @Mixin private final QueueOptions options = new QueueOptions();
  @Mixin private final JsonOption json = new JsonOption();

  @Option(names = "--group", paramLabel = "G", description = "Only this group.")
  private Optional<String> group = Optional.empty();

  @Option(
      names = "--limit",
      paramLabel = "N",
      defaultValue = "10",
      description = "At most so many. Default: ${DEFAULT-VALUE}.")
  private int limit;

  @Option(
      names = "--payload",
      description = "Show the payloads too, with the secrets that they hold.")
  private boolean payload;

  PeekCommand(Console console) {
    this.console = console;
  }

  @Override
  public Integer call() {
    try (OpenQueue open = options.open()) {
      List<PeekedMessage> messages = open.queue().admin().peek(group, limit);
      if (json.json()) {
        printJson(messages);
      } else if (messages.isEmpty()) {
        console.message("nothing is claimable in queue '" + open.queue().identifier() + "'");
      } else {
        printTable(messages);
      }
      return ExitCode.DONE;
    }
  }

  private void printJson(List<PeekedMessage> messages) {
    JsonDocument.print(
        console.out(),
        json ->
            json.array("messages", array -> messages.forEach(m -> array.object(o -> write(o, m)))));
  }

  private void write(JsonDocument json, PeekedMessage message) {
    json.field("id", message.id())
        .field("group", message.group())
        .field("createdAt", message.createdAt())
        .field("visibleAt", message.visibleAt())
        .field("receiveCount", message.receiveCount());
    if (payload) {
      json.field("payload", message.payload());
    }
  }

  private void printTable(List<PeekedMessage> messages) {
    TextTable table =
        payload
            ? new TextTable("ID", "GROUP", "CREATED", "VISIBLE", ">RECEIVED", "PAYLOAD")
            : new TextTable("ID", "GROUP", "CREATED", "VISIBLE", ">RECEIVED");
    for (PeekedMessage message : messages) {
      Object[] cells = {
        message.id(),
        message.group().orElse("-"),
        Words.time(message.createdAt()),
        Words.time(message.visibleAt()),
        message.receiveCount().isPresent() ? message.receiveCount().getAsInt() : "-",
        message.payload()
      };
      table.row(payload ? cells : java.util.Arrays.copyOf(cells, cells.length - 1));
    }
    table.print(console.out());
  }
}
