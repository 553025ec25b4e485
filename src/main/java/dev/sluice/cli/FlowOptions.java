package dev.sluice.cli;

import dev.sluice.router.RouterOptions.OnBlock;
import java.time.Duration;
import picocli.CommandLine.Option;

/** What becomes of messages that cannot go on at once. */
final class FlowOptions {
  private static final Duration LONGEST = Duration.ofHours(1);

  @Option(
      names = "--on-block",
      paramLabel = "quarantine|ack",
      defaultValue = "quarantine",
      description =
          "Messages behind a rejected one of a BLOCK_ON_ERROR group: keep them in quarantine, in"
              + " order, or delete them as the Go router does. Default: ${DEFAULT-VALUE}.")
  private OnBlock onBlock = OnBlock.QUARANTINE;

  @Option(
      names = "--max-deferral",
      paramLabel = "S",
      defaultValue = "3600",
      description =
          "For how long a message is handed back at most when its pool is full, in seconds; 0 for the"
              + " default. Default: ${DEFAULT-VALUE}.")
  private Seconds maxDeferral = new Seconds(LONGEST);

  OnBlock onBlock() {
    return onBlock;
  }

  /** Never zero. */
  Duration maxDeferral() {
    Duration given = maxDeferral.duration();
    return given.isZero() ? LONGEST : given;
  }
}
