package dev.sluice.queue.uri;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.pool.HikariPool.PoolInitializationException;
import dev.sluice.queue.QueueException;
import dev.sluice.queue.jdbc.Wakeups;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.ConnectException;
import java.net.UnknownHostException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.time.Duration;
import java.util.Optional;
import java.util.Properties;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGProperty;

/**
 * The database behind a {@link QueueUri}: a pool of connections, opened when they are first needed,
 * and the PostgreSQL of {@code embedded:} for as long as it is used. Thread-safe.
 */
public final class Database implements AutoCloseable {
  private static final Duration CHECKOUT = Duration.ofSeconds(5);
  private static final String CONNECT_SECONDS = "10";
  private static final int TRIES = 15;
  private static final Duration BETWEEN_TRIES = Duration.ofSeconds(1);

  private final QueueUri uri;
  private final LazyPool pool;
  private final Optional<EmbeddedPostgres> embedded;
  private final Wakeups wakeups = new Wakeups(this::connect);
  private final HikariConfig config;

  private Database(QueueUri uri, HikariConfig config, Optional<EmbeddedPostgres> embedded) {
    this.uri = uri;
    this.config = config;
    this.pool = new LazyPool(config);
    this.embedded = embedded;
  }

  /**
   * Opens a database; starts or joins the embedded one, connects to no other yet.
   *
   * @param maxConnections how many connections at most, from 1
   * @throws dev.sluice.queue.QueueException if the embedded PostgreSQL cannot be started
   */
  public static Database open(QueueUri uri, int maxConnections) {
    HikariConfig config = new HikariConfig();
    config.setPoolName("sluice");
    config.setMaximumPoolSize(maxConnections);
    config.setMinimumIdle(0);
    config.setConnectionTimeout(CHECKOUT.toMillis());
    // The first connection is tried once, in the pool's constructor: a wrong password is told at
    // once, not after the time that a busy pool may let its callers wait.
    config.setInitializationFailTimeout(1);
    // What a poll sees while it locks is its own matter; a database may default to another level.
    config.setTransactionIsolation("TRANSACTION_READ_COMMITTED");
    // The statements of a claim are long and read little: compiling them takes longer than running.
    config.setConnectionInitSql("SET jit = off");
    config.addDataSourceProperty(PGProperty.APPLICATION_NAME.getName(), "sluice");
    config.addDataSourceProperty(PGProperty.TCP_KEEP_ALIVE.getName(), "true");
    // The detail of a failure quotes the row, and so a payload with its secrets.
    config.addDataSourceProperty(PGProperty.LOG_SERVER_ERROR_DETAIL.getName(), "false");
    String connectSeconds =
        uri.properties().getOrDefault(PGProperty.CONNECT_TIMEOUT.getName(), CONNECT_SECONDS);
    config.addDataSourceProperty(PGProperty.CONNECT_TIMEOUT.getName(), connectSeconds);
    // One after the other: a first host that is silent must leave the next one its time.
    config.addDataSourceProperty(
        PGProperty.LOGIN_TIMEOUT.getName(),
        Integer.toString(Integer.parseInt(connectSeconds) * Math.max(1, uri.hostCount())));
    uri.properties().forEach(config::addDataSourceProperty);
    if (uri.embedded()) {
      EmbeddedPostgres server = EmbeddedPostgres.open(EmbeddedPostgres.DEFAULT_HOME);
      config.setJdbcUrl(
          "jdbc:postgresql://" + server.host() + ":" + server.port() + "/" + server.database());
      config.setUsername(server.user());
      config.setPassword(server.password());
      return new Database(uri, config, Optional.of(server));
    }
    config.setJdbcUrl(uri.jdbcUrl());
    config.setUsername(uri.user());
    uri.findPassword().ifPresent(config::setPassword);
    return new Database(uri, config, Optional.empty());
  }

  /**
   * Waits for a database that starts beside this process: up to 15 tries, a second apart.
   *
   * @throws QueueException if it does not answer, or refuses us
   */
  public void awaitAnswer() {
    awaitAnswer(TRIES, BETWEEN_TRIES);
  }

  /**
   * Waits for a database that starts beside this process.
   *
   * @param tries how often it is tried at most, from 1
   * @param pause the time between two tries
   * @throws QueueException if it does not answer, or refuses us
   */
  public void awaitAnswer(int tries, Duration pause) {
    for (int left = tries - 1; ; left--) {
      try {
        pool.getConnection().close();
        return;
      } catch (SQLException e) {
        if (left <= 0 || !QueueException.isConnectionState(e.getSQLState())) {
          throw new QueueException("connecting", uri.safe(), e);
        }
      }
      try {
        Thread.sleep(pause.toMillis());
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new QueueException("interrupted while waiting for " + uri.safe());
      }
    }
  }

  /** The connections; a failure to connect is told as the server told it. */
  public DataSource dataSource() {
    return pool;
  }

  /** What the wake-up triggers say, on a connection outside of the pool. */
  public Wakeups wakeups() {
    return wakeups;
  }

  private Connection connect() throws SQLException {
    Properties properties = new Properties();
    properties.putAll(config.getDataSourceProperties());
    properties.setProperty(PGProperty.USER.getName(), config.getUsername());
    if (config.getPassword() != null) {
      properties.setProperty(PGProperty.PASSWORD.getName(), config.getPassword());
    }
    return DriverManager.getConnection(config.getJdbcUrl(), properties);
  }

  /** What was opened. */
  public QueueUri uri() {
    return uri;
  }

  /** The URI without its password. */
  public String safeUri() {
    return uri.safe();
  }

  /** Closes the connections, and the embedded PostgreSQL if nobody else uses it. */
  @Override
  public void close() {
    wakeups.close();
    pool.close();
    embedded.ifPresent(EmbeddedPostgres::close);
  }

  /**
   * Makes the pool at the first call that reaches the database, and says why there is no connection
   * where the pool says only that there is none.
   */
  private static final class LazyPool implements DataSource {
    private final HikariConfig config;
    private volatile @Nullable HikariDataSource pool;
    private volatile boolean closed;

    LazyPool(HikariConfig config) {
      this.config = config;
    }

    @Override
    public Connection getConnection() throws SQLException {
      try {
        HikariDataSource ready = pool;
        return (ready == null ? open() : ready).getConnection();
      } catch (PoolInitializationException e) {
        throw reason(e).orElseThrow(() -> e);
      } catch (SQLException e) {
        throw reason(e).orElse(e);
      }
    }

    private synchronized HikariDataSource open() throws SQLException {
      if (closed) {
        throw new SQLException("the pool of connections is closed");
      }
      HikariDataSource ready = pool;
      if (ready == null) {
        ready = new HikariDataSource(config);
        pool = ready;
      }
      return ready;
    }

    private static Optional<SQLException> reason(Exception failure) {
      return failure.getCause() instanceof SQLException cause
          ? Optional.of(withItsOwnReason(cause))
          : Optional.empty();
    }

    // The driver says "The connection attempt failed." of a host that nobody knows.
    private static SQLException withItsOwnReason(SQLException failure) {
      Throwable cause = failure.getCause();
      if (cause instanceof UnknownHostException) {
        return new SQLException(
            "unknown host " + cause.getMessage(), failure.getSQLState(), failure);
      }
      if (cause instanceof IOException && !(cause instanceof ConnectException)) {
        return new SQLException(
            failure.getMessage() + " (" + cause.getMessage() + ")", failure.getSQLState(), failure);
      }
      return failure;
    }

    synchronized void close() {
      closed = true;
      HikariDataSource ready = pool;
      if (ready != null) {
        ready.close();
      }
    }

    @Override
    public Connection getConnection(String user, String password) throws SQLException {
      throw new SQLFeatureNotSupportedException("the URI names the user");
    }

    @Override
    public @Nullable PrintWriter getLogWriter() {
      return null;
    }

    @Override
    public void setLogWriter(PrintWriter out) throws SQLException {
      throw new SQLFeatureNotSupportedException("logs go through SLF4J");
    }

    @Override
    public void setLoginTimeout(int seconds) throws SQLException {
      throw new SQLFeatureNotSupportedException("connect_timeout is a parameter of the URI");
    }

    @Override
    public int getLoginTimeout() {
      return 0;
    }

    @Override
    public Logger getParentLogger() throws SQLFeatureNotSupportedException {
      throw new SQLFeatureNotSupportedException("logs go through SLF4J");
    }

    @Override
    public <T> T unwrap(Class<T> type) throws SQLException {
      throw new SQLException("wraps nothing");
    }

    @Override
    public boolean isWrapperFor(Class<?> type) {
      return false;
    }
  }
}
