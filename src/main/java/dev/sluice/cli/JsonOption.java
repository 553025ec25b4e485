package dev.sluice.cli;

import picocli.CommandLine.Option;

/** Whether to print for programs. */
final class JsonOption {
  @Option(names = "--json", description = "Print one JSON document instead of text.")
  private boolean json;

  boolean json() {
    return json;
  }
}
