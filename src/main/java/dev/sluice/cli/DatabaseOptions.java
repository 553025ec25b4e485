package dev.sluice.cli;

import picocli.CommandLine.Option;

/** Which database. */
final class DatabaseOptions {
  @Option(
      names = "--uri",
      paramLabel = "URI",
      defaultValue = "embedded:",
      description = {
        "The queue's database: postgres://user:pass@host:5432/db for the legacy table,"
            + " harel://user:pass@host:5432/db[?prefix=P] for the harel tables. The password may come from PGPASSWORD or"
            + " ~/.pgpass. Default: FC_DATABASE_URL where set, else embedded:, a PostgreSQL that comes"
            + " along and lives in ./.sluice/postgres; embedded-harel: has the harel tables on it."
      })
  private String uri = "";

  String uri() {
    return uri;
  }
}
