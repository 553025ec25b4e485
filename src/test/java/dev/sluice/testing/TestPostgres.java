package dev.sluice.testing;

import java.net.URI;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Optional;

/**
 * The one PostgreSQL server of this test JVM, and a superuser on it: {@code
 * SLUICE_TEST_DATABASE_URL} where it is set, else a container where a Docker daemon answers, else
 * the binaries of the class path.
 */
record TestPostgres(String host, int port, String user, String password) {

  static TestPostgres shared() {
    return Holder.SHARED;
  }

  private static final class Holder {
    static final TestPostgres SHARED =
        Optional.ofNullable(System.getenv("SLUICE_TEST_DATABASE_URL"))
            .filter(url -> !url.isBlank())
            .map(TestPostgres::at)
            .or(ContainerPostgres::start)
            .orElseGet(LocalPostgres::start);
  }

  private static TestPostgres at(String url) {
    URI uri = URI.create(url);
    String[] userInfo =
        (uri.getRawUserInfo() == null ? "postgres" : uri.getRawUserInfo()).split(":", 2);
    return new TestPostgres(
        uri.getHost(),
        uri.getPort() < 0 ? 5432 : uri.getPort(),
        decode(userInfo[0]),
        userInfo.length < 2 ? "" : decode(userInfo[1]));
  }

  private static String decode(String text) {
    return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
  }

  private static String encode(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }

  String jdbcUrl(String database) {
    return "jdbc:postgresql://%s:%d/%s?user=%s&password=%s"
        .formatted(host, port, database, encode(user), encode(password));
  }

  String uri(String database) {
    return "postgres://%s:%s@%s:%d/%s"
        .formatted(encode(user), encode(password), host, port, database);
  }

  void execute(String sql) {
    try (Connection connection = DriverManager.getConnection(jdbcUrl("postgres"));
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    } catch (SQLException e) {
      throw new IllegalStateException(sql + " failed on the test server " + this, e);
    }
  }

  @Override
  public String toString() {
    return host + ":" + port;
  }
}
