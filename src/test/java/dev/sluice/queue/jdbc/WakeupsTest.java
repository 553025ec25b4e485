package dev.sluice.queue.jdbc;

import static dev.sluice.testing.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.greaterThan;

import dev.sluice.testing.TestDatabase;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Listening when the server, the network or the listeners misbehave. */
class WakeupsTest {
  private static final Duration SHORT = Duration.ofMillis(300);

  private TestDatabase database;
  private final AtomicInteger wakes = new AtomicInteger();

  @BeforeEach
  void createTable() throws SQLException {
    database = TestDatabase.fresh();
    execute("CREATE TABLE t (queue_name text)");
    execute(SchemaTools.resource("queue_notify.sql").replace("queue_messages", "t"));
  }

  @AfterEach
  void dropDatabase() {
    database.close();
  }

  @Test
  void aServerThatHangsIsFoundOutAndAnotherConnectionWakes() throws Exception {
    try (Relay relay = new Relay(database.jdbcUrl());
        Wakeups wakeups =
            new Wakeups(
                () -> DriverManager.getConnection(relay.url()), SHORT, Duration.ofSeconds(10))) {
      wakeups.listen("t", "q", wakes::incrementAndGet);
      await().untilAtomic(wakes, equalTo(1));

      relay.freeze();

      await().untilAtomic(wakes, equalTo(2));
      execute("INSERT INTO t VALUES ('q')");
      await().untilAtomic(wakes, equalTo(3));
    }
  }

  @Test
  void closingDoesNotWaitForALoginThatHangs() throws Exception {
    CountDownLatch inLogin = new CountDownLatch(1);
    CountDownLatch interrupted = new CountDownLatch(1);
    Wakeups wakeups =
        new Wakeups(
            () -> {
              inLogin.countDown();
              try {
                new CountDownLatch(1).await();
              } catch (InterruptedException e) {
                interrupted.countDown();
              }
              throw new SQLException("interrupted");
            });
    wakeups.listen("t", "q", wakes::incrementAndGet);
    inLogin.await();

    wakeups.close();

    interrupted.await();
    assertThat(wakes).hasValue(0);
  }

  @Test
  void aTriggerThatComesLaterIsNoticed() throws Exception {
    execute("DROP TRIGGER sluice_notify ON t");
    AtomicInteger looks = new AtomicInteger();
    try (Wakeups wakeups =
        new Wakeups(
            () -> {
              looks.incrementAndGet();
              return database.connect();
            },
            SHORT,
            Duration.ofSeconds(10))) {
      wakeups.listen("t", "q", wakes::incrementAndGet);
      await().untilAtomic(looks, equalTo(1));
      execute(SchemaTools.resource("queue_notify.sql").replace("queue_messages", "t"));

      await().untilAtomic(wakes, equalTo(1));
    }
  }

  @Test
  void aWakeThatThrowsSilencesNobody() throws Exception {
    try (Wakeups wakeups = new Wakeups(database::connect)) {
      wakeups.listen(
          "t",
          "q",
          () -> {
            throw new IllegalStateException("a bug");
          });
      wakeups.listen("t", "q", wakes::incrementAndGet);
      await().untilAtomic(wakes, equalTo(1));

      execute("INSERT INTO t VALUES ('q')");

      await().untilAtomic(wakes, equalTo(2));
    }
  }

  @Test
  void manyPublishesAtOnceAreOneWake() throws Exception {
    try (Wakeups wakeups = new Wakeups(database::connect)) {
      wakeups.listen("t", "q", wakes::incrementAndGet);
      await().untilAtomic(wakes, equalTo(1));

      execute("BEGIN; " + "INSERT INTO t VALUES ('q'), ('other');".repeat(100) + "COMMIT");
      await().untilAtomic(wakes, greaterThan(1));

      execute("INSERT INTO t VALUES ('q')");
      await().untilAtomic(wakes, equalTo(3));
    }
  }

  @Test
  void aNameLongerThanANotificationIsCutAndHeard() throws Exception {
    String name = "\uD834\uDD1E".repeat(9_000);
    try (Wakeups wakeups = new Wakeups(database::connect)) {
      wakeups.listen("t", name, wakes::incrementAndGet);
      await().untilAtomic(wakes, equalTo(1));

      execute("INSERT INTO t VALUES ('" + name + "')");

      await().untilAtomic(wakes, equalTo(2));
    }
  }

  private void execute(String sql) throws SQLException {
    try (Connection connection = database.connect();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  /** Between client and server; what is open when it freezes stays open and says nothing more. */
  private static final class Relay implements AutoCloseable {
    private final ServerSocket door = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final URI server;
    private volatile AtomicBoolean frozen = new AtomicBoolean();

    Relay(String jdbcUrl) throws IOException {
      server = URI.create(jdbcUrl.substring("jdbc:".length()));
      start(this::accept);
    }

    String url() {
      return "jdbc:postgresql://localhost:%d%s?%s"
          .formatted(door.getLocalPort(), server.getRawPath(), server.getRawQuery());
    }

    void freeze() {
      frozen.set(true);
      frozen = new AtomicBoolean();
    }

    private void accept() throws IOException {
      while (true) {
        Socket client = door.accept();
        Socket upstream = new Socket(server.getHost(), server.getPort());
        AtomicBoolean stop = frozen;
        start(() -> pump(client.getInputStream(), upstream.getOutputStream(), stop));
        start(() -> pump(upstream.getInputStream(), client.getOutputStream(), stop));
      }
    }

    private static void pump(InputStream in, OutputStream out, AtomicBoolean stop)
        throws IOException {
      byte[] some = new byte[8192];
      for (int n = in.read(some); n >= 0; n = in.read(some)) {
        if (!stop.get()) {
          out.write(some, 0, n);
          out.flush();
        }
      }
    }

    private interface Loop {
      void run() throws IOException;
    }

    private static void start(Loop loop) {
      Thread thread =
          new Thread(
              () -> {
                try {
                  loop.run();
                } catch (IOException e) {
                  // Closed: the loop is over.
                }
              });
      thread.setDaemon(true);
      thread.start();
    }

    @Override
    public void close() throws IOException {
      door.close();
    }
  }
}
