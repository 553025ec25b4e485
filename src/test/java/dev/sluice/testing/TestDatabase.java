package dev.sluice.testing;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * An empty PostgreSQL database of a test's own, on a server that all tests of this JVM share.
 * Thread-safe.
 */
public final class TestDatabase implements AutoCloseable {
  private static final AtomicInteger COUNTER = new AtomicInteger();
  private static final int SMALL_POOL = 4;

  private final TestPostgres server;
  private final String name;
  private final Queue<HikariDataSource> pools = new ConcurrentLinkedQueue<>();
  private @Nullable DataSource small;

  private TestDatabase(TestPostgres server, String name) {
    this.server = server;
    this.name = name;
  }

  /** A new database; close it to drop it. */
  public static TestDatabase fresh() {
    TestPostgres server = TestPostgres.shared();
    String name = "t" + ProcessHandle.current().pid() + "_" + COUNTER.incrementAndGet();
    // template0: nobody can be connected to it, which would make the copy fail.
    server.execute("DROP DATABASE IF EXISTS " + name + " WITH (FORCE)");
    server.execute("CREATE DATABASE " + name + " TEMPLATE template0");
    return new TestDatabase(server, name);
  }

  /** The one pool of four connections at most, closed with this database. */
  public synchronized DataSource dataSource() {
    if (small == null) {
      small = dataSource(SMALL_POOL);
    }
    return small;
  }

  /** A new pool of up to {@code poolSize} connections, closed with this database. */
  public DataSource dataSource(int poolSize) {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(jdbcUrl());
    config.setMaximumPoolSize(poolSize);
    config.setMinimumIdle(0);
    // On a slow machine all connections may be at work for long.
    config.setConnectionTimeout(60_000);
    HikariDataSource pool = new HikariDataSource(config);
    pools.add(pool);
    return pool;
  }

  /** The JDBC URL, with user and password. */
  public String jdbcUrl() {
    return server.jdbcUrl(name);
  }

  /** The URI as the program takes it: {@code postgres://user:password@host:port/database}. */
  public String uri() {
    return server.uri(name);
  }

  /** A connection outside of any pool; the caller closes it. */
  public Connection connect() {
    try {
      return DriverManager.getConnection(jdbcUrl());
    } catch (SQLException e) {
      throw new IllegalStateException("no connection to the test database " + name, e);
    }
  }

  /** Drops the database, with whatever is still connected to it. */
  @Override
  public void close() {
    pools.forEach(HikariDataSource::close);
    server.execute("DROP DATABASE IF EXISTS " + name + " WITH (FORCE)");
  }
}
