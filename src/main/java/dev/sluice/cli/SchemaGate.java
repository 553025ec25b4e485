package dev.sluice.cli;

import dev.sluice.queue.Queue;
import dev.sluice.queue.SchemaException;
import dev.sluice.queue.SchemaReport;
import java.util.ArrayList;
import java.util.List;

/** Lets nothing begin on tables that are missing or different. */
final class SchemaGate {
  private SchemaGate() {}

  /**
   * @throws SchemaException if the queue's tables are missing or differ
   */
  static void requireUsable(Queue queue) {
    SchemaReport report = queue.checkSchema();
    if (!report.usable()) {
      throw new SchemaException(List.of(String.join("; ", report.differences()) + remedy(report)));
    }
  }

  /**
   * @throws SchemaException if the queue's tables are missing or differ, or there is no quarantine
   */
  static void requireQuarantine(Queue queue) {
    requireUsable(queue);
    queue
        .checkSchema()
        .missingQuarantine()
        .ifPresent(
            table -> {
              throw new SchemaException(
                  List.of(
                      missing(table)
                          + "; create it with: sluice schema init, or do without it: --on-reject"
                          + " drop"));
            });
  }

  /** What differs, quarantine included, a line each. */
  static List<String> differences(SchemaReport report) {
    List<String> differences = new ArrayList<>(report.differences());
    report.missingQuarantine().ifPresent(table -> differences.add(missing(table)));
    return differences;
  }

  private static String missing(String table) {
    return "table " + table + " does not exist";
  }

  private static String remedy(SchemaReport report) {
    boolean missing =
        report.differences().stream()
            .anyMatch(d -> d.endsWith("does not exist") || d.startsWith("function "));
    return missing
        ? "; create it with: sluice schema init, or check the database in --uri"
        : "; alter the table, or check the database in --uri";
  }
}
