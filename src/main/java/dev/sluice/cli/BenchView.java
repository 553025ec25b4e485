package dev.sluice.cli;

import dev.sluice.bench.Entrants;
import dev.sluice.bench.Result;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/** Prints what was measured, and how it compares. */
final class BenchView {
  private final Console console;
  private final List<Result> results;

  BenchView(Console console, List<Result> results) {
    this.console = console;
    this.results = results;
  }

  void printTable() {
    TextTable table =
        new TextTable(
            "OPERATION",
            "SHAPE",
            ">ROWS",
            "WHO",
            ">MEDIAN",
            ">SPREAD",
            ">RATE",
            ">TO SEED",
            ">OF BARE");
    for (Result result : results) {
      table.row(
          result.operation().label(),
          result.shape(),
          Words.count(result.rows()),
          result.entrant(),
          (result.gaveUp() ? "> " : "") + time(result.median()),
          result.gaveUp() ? "" : time(result.least()) + " - " + time(result.most()),
          result.gaveUp() ? "" : Words.rate(1 / result.median()),
          fasterThanSeed(result).map(times -> times(result, times)).orElse(""),
          shareOfBare(result).map(share -> Math.round(share * 100) + " %").orElse(""));
    }
    table.print(console.out());
    units();
    console.flush();
  }

  private void units() {
    String units =
        results.stream()
            .map(r -> r.operation().label() + ": one " + r.operation().unit())
            .distinct()
            .collect(Collectors.joining("; "));
    if (!units.isEmpty()) {
      console.message("times and rates are of - " + units);
    }
  }

  void printJson() {
    JsonDocument.print(
        console.out(),
        json ->
            json.array("results", array -> results.forEach(r -> array.object(o -> write(o, r)))));
    console.flush();
  }

  private void write(JsonDocument json, Result result) {
    json.field("operation", result.operation().label())
        .field("unit", result.operation().unit())
        .field("shape", result.shape())
        .field("rows", result.rows())
        .field("who", result.entrant())
        .field("medianSeconds", result.median())
        .field("leastSeconds", result.least())
        .field("mostSeconds", result.most())
        .field("runs", result.seconds().size())
        .field("gaveUp", result.gaveUp());
    fasterThanSeed(result).ifPresent(times -> json.field("timesSeed", times));
    shareOfBare(result).ifPresent(share -> json.field("shareOfBare", share));
  }

  /** How many times as fast it is as the seed on the seed's own indexes. */
  private Optional<Double> fasterThanSeed(Result result) {
    return result.gaveUp() || result.entrant().equals(Entrants.SEED)
        ? Optional.empty()
        : beside(result, Entrants.SEED).map(seed -> seed.median() / result.median());
  }

  private Optional<Double> shareOfBare(Result result) {
    return result.entrant().equals(Entrants.BARE)
        ? Optional.empty()
        : beside(result, Entrants.BARE).map(bare -> bare.median() / result.median());
  }

  private Optional<Result> beside(Result result, String entrant) {
    return results.stream()
        .filter(
            r ->
                r.operation() == result.operation()
                    && r.shape().equals(result.shape())
                    && r.rows() == result.rows()
                    && r.entrant().equals(entrant))
        .findFirst();
  }

  private String times(Result result, double times) {
    boolean atLeast = beside(result, Entrants.SEED).map(Result::gaveUp).orElse(false);
    return (atLeast ? "> " : "")
        + String.format(Locale.ROOT, times < 10 ? "%.1f x" : "%,.0f x", times);
  }

  private static String time(double seconds) {
    if (seconds < 1e-3) {
      return String.format(Locale.ROOT, "%.0f us", seconds * 1e6);
    }
    return seconds < 1
        ? String.format(Locale.ROOT, seconds < 1e-2 ? "%.2f ms" : "%.0f ms", seconds * 1e3)
        : Words.seconds(seconds);
  }
}
