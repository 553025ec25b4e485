package dev.sluice.model;

import java.sql.Connection;
import java.sql.SQLException;

/**
 * A transport on a kind of tables.
 *
 * @param name as failures print it
 * @param names what the tables are called
 * @param version which harel made them
 * @param setup what is done to them, once, while they are empty
 */
public record HarelVariant(
    String name,
    HarelNames names,
    HarelVersion version,
    Setup setup,
    HarelUnderTest.Factory factory) {

  /** Prepares the tables, for example with indexes or another collation. */
  @FunctionalInterface
  public interface Setup {
    /** Leaves the tables as Python made them. */
    Setup NONE = (connection, names) -> {};

    /** Runs on a connection in auto-commit mode. */
    void run(Connection connection, HarelNames names) throws SQLException;
  }

  /** On the seed's tables, under their own names. */
  public HarelVariant(String name, HarelUnderTest.Factory factory) {
    this(name, HarelNames.SEED, HarelVersion.SEED, Setup.NONE, factory);
  }

  /** The same on tables as harel 0.9 makes them. */
  public HarelVariant prefixed(String prefix) {
    return new HarelVariant(
        name + ", prefix " + prefix,
        HarelNames.prefixed(prefix),
        HarelVersion.V0_9,
        setup,
        factory);
  }

  /** The same where group ids {@linkplain HarelTables#compareAsPeopleDo compare as people do}. */
  public HarelVariant comparingAsPeopleDo() {
    Setup before =
        (connection, tables) -> {
          HarelTables.compareAsPeopleDo(connection, tables);
          setup.run(connection, tables);
        };
    return new HarelVariant(name + ", linguistic order", names, version, before, factory);
  }

  @Override
  public String toString() {
    return name;
  }
}
