package dev.sluice.cli;

import dev.sluice.router.RouterOptions.OnBlock;
import dev.sluice.router.RouterOptions.OnReject;
import java.time.Duration;
import java.util.Optional;
import picocli.CommandLine.Option;

/** What becomes of messages that cannot go on at once. */
final class FlowOptions {
  private static final Duration LONGEST = Duration.ofHours(1);

  @Option(
      names = "--on-block",
      paramLabel = "quarantine|ack",
      description =
          "Messages behind a rejected one of a BLOCK_ON_ERROR group: keep them in quarantine, in"
              + " order, or delete them as the Go router does. Default: quarantine, or ack with"
              + " --on-reject drop.")
  private Optional<OnBlock> onBlock = Optional.empty();

  @Option(
      names = "--max-deferral",
      paramLabel = "S",
      defaultValue = "3600",
      description =
          "For how long a message is handed back at most when its pool is full, in seconds; 0 for the"
              + " default. Default: ${DEFAULT-VALUE}.")
  private Seconds maxDeferral = new Seconds(LONGEST);

  /**
   * What becomes of a group whose head is rejected.
   *
   * @throws CommandException if it is to be kept behind a head that is deleted
   */
  OnBlock onBlock(OnReject onReject) {
    boolean drops = onReject == OnReject.DROP;
    if (drops && onBlock.isPresent() && onBlock.get() == OnBlock.QUARANTINE) {
      throw CommandException.usage(
          "--on-block quarantine keeps a group behind its rejected head, which --on-reject drop"
              + " deletes; give --on-block ack, or --on-reject quarantine");
    }
    return onBlock.orElse(drops ? OnBlock.ACK : OnBlock.QUARANTINE);
  }

  /** Never zero. */
  Duration maxDeferral() {
    Duration given = maxDeferral.duration();
    return given.isZero() ? LONGEST : given;
  }
}
