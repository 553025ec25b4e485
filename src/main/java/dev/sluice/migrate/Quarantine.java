package dev.sluice.migrate;

import java.sql.SQLException;

/** Moves quarantined messages. */
final class Quarantine {
  Quarantine(Ends ends, MigrationRequest request, Tally tally) {}

  void move() throws SQLException {}

  void takeBack() throws SQLException {}
}
