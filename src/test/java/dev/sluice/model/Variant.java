package dev.sluice.model;

import java.sql.Connection;
import java.sql.SQLException;

/**
 * A backend on a kind of table.
 *
 * @param name as failures print it
 * @param setup what is done to the seed's tables, once, while they are empty
 */
public record Variant(String name, Setup setup, QueueUnderTest queue) {

  /** Prepares the tables, for example with indexes or another collation. */
  @FunctionalInterface
  public interface Setup {
    /** Leaves the tables as the seed made them. */
    Setup NONE = connection -> {};

    /** Runs on a connection in auto-commit mode. */
    void run(Connection connection) throws SQLException;
  }

  /** The same on columns that {@linkplain LegacyTable#compareAsPeopleDo compare as people do}. */
  public Variant comparingAsPeopleDo() {
    return new Variant(
        name + ", linguistic order",
        connection -> {
          LegacyTable.compareAsPeopleDo(connection);
          setup.run(connection);
        },
        queue);
  }

  @Override
  public String toString() {
    return name;
  }
}
