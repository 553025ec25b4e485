package dev.sluice.migrate;

import dev.sluice.queue.legacy.LegacyHold;
import java.util.UUID;

/** What our rows and leases begin with, so that everybody can tell them from messages. */
final class Tokens {
  /** Holds a group at the source: a lease of its group row, or a delayed row at its head. */
  static final String HOLD = LegacyHold.PREFIX;

  /** Holds a group at the target until the source has let go of it. */
  static final String ARRIVING = "sluice-arriving:";

  /** A group whose delay came along. */
  static final String PARKED = "sluice-parked:";

  /** When a hold ends unless it is taken away. */
  static final long HOLD_UNTIL = LegacyHold.UNTIL;

  private Tokens() {}

  /** Names one batch: 32 hexadecimal digits. */
  static String batch() {
    return UUID.randomUUID().toString().replace("-", "");
  }
}
