package dev.sluice.queue.harel;

import dev.sluice.model.HarelFailed;
import dev.sluice.model.HarelGroup;
import dev.sluice.model.HarelMessage;
import dev.sluice.model.HarelNames;
import dev.sluice.model.HarelTables;
import dev.sluice.model.HarelUnderTest;
import dev.sluice.model.HarelVariant;
import dev.sluice.testing.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.function.DoubleSupplier;
import javax.sql.DataSource;

/** A database with the tables of one deployment, as a variant wants them. */
final class HarelArena implements AutoCloseable {
  private static final int CONNECTIONS = 24;

  private final TestDatabase database;
  private final HarelVariant variant;
  private final DataSource dataSource;
  private final Connection own;

  HarelArena(HarelVariant variant) throws SQLException {
    this.variant = variant;
    database = TestDatabase.fresh();
    own = database.connect();
    HarelTables.create(own, variant.names(), variant.version());
    variant.setup().run(own, variant.names());
    dataSource = database.dataSource(CONNECTIONS);
  }

  /** One more process. */
  HarelUnderTest open(DoubleSupplier epochSeconds) {
    return open(variant.factory(), epochSeconds);
  }

  /** One more process of another kind. */
  HarelUnderTest open(HarelUnderTest.Factory factory, DoubleSupplier epochSeconds) {
    return factory.open(dataSource, names(), epochSeconds);
  }

  /** Looks for stranded messages until it ends. */
  StrandWatch watchStrands(HarelWitness witness, Duration tolerated) {
    return StrandWatch.start(database.connect(), names(), witness, tolerated);
  }

  void clear() throws SQLException {
    HarelTables.clear(own, names());
  }

  void put(HarelGroup group) throws SQLException {
    HarelTables.put(own, names(), group);
  }

  HarelMessage insert(String group, String event) throws SQLException {
    return HarelTables.insert(own, names(), group, event);
  }

  List<HarelGroup> groups() throws SQLException {
    return HarelTables.groups(own, names());
  }

  List<HarelMessage> messages() throws SQLException {
    return HarelTables.messages(own, names());
  }

  List<HarelMessage> stranded() throws SQLException {
    return HarelTables.stranded(own, names());
  }

  List<HarelFailed> failed() throws SQLException {
    return HarelTables.failed(own, names());
  }

  /** How the database sorts these group ids. */
  Comparator<String> groupOrder(Collection<String> groups) throws SQLException {
    return HarelTables.groupOrder(own, names(), groups);
  }

  private HarelNames names() {
    return variant.names();
  }

  @Override
  public void close() throws SQLException {
    own.close();
    database.close();
  }
}
