package dev.sluice.cli;

import dev.sluice.queue.FailedFilter;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Which messages of the quarantine. */
final class FailedFilterOptions {
  @Parameters(paramLabel = "ID", arity = "0..*", description = "These messages.")
  private List<String> ids = new ArrayList<>();

  @Option(names = "--group", paramLabel = "G", description = "Only this group.")
  private Optional<String> group = Optional.empty();

  @Option(
      names = "--reason",
      paramLabel = "TEXT",
      description = "Only those whose error contains this text.")
  private Optional<String> reason = Optional.empty();

  List<String> ids() {
    return ids;
  }

  boolean isEmpty() {
    return ids.isEmpty() && group.isEmpty() && reason.isEmpty();
  }

  FailedFilter filter() {
    return new FailedFilter(ids, group.orElse(null), reason.orElse(null));
  }
}
