package dev.sluice.queue.uri;

import dev.sluice.queue.harel.HarelQueue;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGProperty;
import org.postgresql.jdbcurlresolver.PgPassParser;

/**
 * Where a queue is, as people write it: {@code postgres://user:password@host:port/database}, {@code
 * harel://...}, {@code embedded:} or {@code embedded-harel:}. Immutable.
 *
 * <p>Takes the query parameters of libpq and pgx that deployments of the Go router carry, and
 * pgjdbc's own. What is left out is looked up where psql looks: PGHOST, PGPORT, PGUSER, PGDATABASE,
 * PGPASSWORD, and then {@code ~/.pgpass}.
 */
public final class QueueUri {
  /** Which tables it means. */
  public enum Backend {
    /** {@code queue_messages}. */
    LEGACY,
    /** One row per group. */
    HAREL
  }

  private static final Pattern NUMBER = Pattern.compile("\\d{1,5}");
  private static final int DEFAULT_PORT = 5432;

  /** What pgx reads of a URI for itself, and nobody else. */
  private static final Set<String> OF_PGX =
      Set.of(
          "default_query_exec_mode",
          "statement_cache_capacity",
          "description_cache_capacity",
          "statement_cache_mode");

  private static final Map<String, String> TARGET_SERVERS =
      Map.of(
          "any", "any",
          "read-write", "primary",
          "primary", "primary",
          "read-only", "secondary",
          "standby", "secondary",
          "prefer-standby", "preferSecondary");

  private static final Map<String, PGProperty> LIBPQ =
      Map.of(
          "sslmode", PGProperty.SSL_MODE,
          "sslrootcert", PGProperty.SSL_ROOT_CERT,
          "sslcert", PGProperty.SSL_CERT,
          "sslkey", PGProperty.SSL_KEY,
          "sslpassword", PGProperty.SSL_PASSWORD,
          "search_path", PGProperty.CURRENT_SCHEMA,
          "application_name", PGProperty.APPLICATION_NAME,
          "options", PGProperty.OPTIONS);

  private final Backend backend;
  private final boolean embedded;
  private final List<Host> hosts;
  private final String database;
  private final String user;
  private final @Nullable String password;
  private final Map<String, String> properties;
  private final Map<String, String> harel;

  private record Host(String name, int port) {
    @Override
    public String toString() {
      return (name.contains(":") ? "[" + name + "]" : name) + ":" + port;
    }
  }

  private QueueUri(
      Backend backend,
      boolean embedded,
      List<Host> hosts,
      String database,
      String user,
      @Nullable String password,
      Map<String, String> properties,
      Map<String, String> harel) {
    this.backend = backend;
    this.embedded = embedded;
    this.hosts = hosts;
    this.database = database;
    this.user = user;
    this.password = password;
    this.properties = properties;
    this.harel = harel;
  }

  /**
   * Reads a URI with the environment of this process.
   *
   * @throws IllegalArgumentException if it cannot be read; one line that names the place and never
   *     the password
   */
  public static QueueUri parse(String text) {
    return parse(text, System.getenv());
  }

  static QueueUri parse(String text, Map<String, String> environment) {
    if (text.equals("embedded:") || text.equals("embedded-harel:")) {
      Backend backend = text.equals("embedded:") ? Backend.LEGACY : Backend.HAREL;
      return new QueueUri(backend, true, List.of(), "", "", null, Map.of(), Map.of());
    }
    int end = text.indexOf("://");
    String scheme = end < 0 ? "" : text.substring(0, end).toLowerCase(Locale.ROOT);
    return switch (scheme) {
      case "postgres", "postgresql" -> new Parser(Backend.LEGACY, environment).parse(text, end + 3);
      case "harel" -> new Parser(Backend.HAREL, environment).parse(text, end + 3);
      default ->
          throw new IllegalArgumentException(
              "URI: must begin with postgres://, postgresql:// or harel://, or be embedded: or"
                  + " embedded-harel:");
    };
  }

  /** The same database seen as this backend, with its tables in this schema and no other. */
  public QueueUri inSchema(Backend backend, String schema) {
    Map<String, String> more = new TreeMap<>(properties);
    more.put(PGProperty.CURRENT_SCHEMA.getName(), schema);
    return new QueueUri(
        backend, embedded, hosts, database, user, password, Map.copyOf(more), Map.of());
  }

  /** Reads the parts of one URI. */
  private static final class Parser {
    private final Backend backend;
    private final Map<String, String> environment;
    private final Map<String, String> properties = new TreeMap<>();
    private final Map<String, String> harel = new HashMap<>();

    Parser(Backend backend, Map<String, String> environment) {
      this.backend = backend;
      this.environment = environment;
    }

    QueueUri parse(String text, int from) {
      String rest = text.substring(from);
      if (rest.indexOf('#') >= 0) {
        throw new IllegalArgumentException("URI: must not hold a '#'; write it as %23");
      }
      int question = rest.indexOf('?');
      String query = question < 0 ? "" : rest.substring(question + 1);
      String front = question < 0 ? rest : rest.substring(0, question);
      int slash = front.indexOf('/');
      String authority = slash < 0 ? front : front.substring(0, slash);
      String path = slash < 0 ? "" : front.substring(slash + 1);
      int at = authority.lastIndexOf('@');
      refuseSpilledPassword(authority, path, query);
      String credentials = at < 0 ? "" : authority.substring(0, at);
      int colon = credentials.indexOf(':');

      readQuery(query);
      verifyWhereARootIsNamed();
      String user = decode("user", colon < 0 ? credentials : credentials.substring(0, colon));
      user = firstNotEmpty(user, environment.get("PGUSER"), System.getProperty("user.name"));
      String password =
          colon < 0
              ? environment.get("PGPASSWORD")
              : decode("password", credentials.substring(colon + 1));
      String database =
          firstNotEmpty(decode("database", path), environment.get("PGDATABASE"), user);
      return new QueueUri(
          backend,
          false,
          hosts(authority.substring(at + 1)),
          database,
          user,
          password,
          Map.copyOf(properties),
          Map.copyOf(harel));
    }

    // A '/' or '?' in a password ends the part that it stands in; the rest of the password would be
    // shown as a database or a parameter.
    private static void refuseSpilledPassword(String authority, String path, String query) {
      boolean spilled = authority.contains("@") ? path.contains("@") : (path + query).contains("@");
      if (spilled) {
        throw new IllegalArgumentException(
            "URI: has an '@' behind its first '/' or '?'; write '/' as %2F, '?' as %3F and '@' as"
                + " %40 in user, password and parameters");
      }
    }

    private List<Host> hosts(String text) {
      String given = firstNotEmpty(text, environment.get("PGHOST"), "localhost");
      List<Host> hosts = new ArrayList<>();
      for (String host : given.split(",", -1)) {
        hosts.add(host(host));
      }
      return hosts;
    }

    private Host host(String text) {
      String name;
      String port = "";
      if (text.startsWith("[")) {
        int close = text.indexOf(']');
        if (close < 0) {
          throw new IllegalArgumentException("URI: host: '[' without ']'");
        }
        name = text.substring(1, close);
        String behind = text.substring(close + 1);
        if (!behind.isEmpty() && !behind.startsWith(":")) {
          throw new IllegalArgumentException("URI: host: after ']' only :PORT may follow");
        }
        port = behind.isEmpty() ? "" : behind.substring(1);
      } else {
        int colon = text.indexOf(':');
        name = decode("host", colon < 0 ? text : text.substring(0, colon));
        port = colon < 0 ? "" : text.substring(colon + 1);
      }
      if (name.startsWith("/")) {
        throw new IllegalArgumentException(
            "URI: host: a socket directory cannot be used from Java; give a host name");
      }
      if (name.isEmpty()) {
        throw new IllegalArgumentException("URI: host: must not be empty");
      }
      return new Host(name, port(firstNotEmpty(port, environment.get("PGPORT"), "5432")));
    }

    private static int port(String text) {
      int port = NUMBER.matcher(text).matches() ? Integer.parseInt(text) : 0;
      if (port < 1 || port > 65_535) {
        throw new IllegalArgumentException("URI: port: must be a number from 1 to 65535");
      }
      return port;
    }

    private void readQuery(String query) {
      for (String pair : query.split("&", -1)) {
        if (!pair.isEmpty()) {
          int equals = pair.indexOf('=');
          String name = decode("parameter", equals < 0 ? pair : pair.substring(0, equals));
          // Go reads a query as a form, in which a '+' is a space.
          String value = equals < 0 ? "" : pair.substring(equals + 1).replace('+', ' ');
          read(name, decode(name, value));
        }
      }
    }

    // Where a root is named, libpq and pgx check the certificate under "require" too; pgjdbc would
    // not.
    private void verifyWhereARootIsNamed() {
      if (properties.containsKey(PGProperty.SSL_ROOT_CERT.getName())) {
        properties.replace(PGProperty.SSL_MODE.getName(), "require", "verify-ca");
      }
    }

    private void read(String name, String value) {
      if (name.startsWith("pool_") || OF_PGX.contains(name)) {
        return;
      }
      if (backend == Backend.HAREL && name.equals("prefix")) {
        if (!HarelQueue.isPrefix(value)) {
          throw new IllegalArgumentException(
              "URI: prefix: must be a letter or '_', then letters, digits or '_', at most 30"
                  + " characters");
        }
        harel.put(name, value);
      } else if (backend == Backend.HAREL && name.equals("kind")) {
        harel.put(name, value);
      } else if (name.equals("target_session_attrs")) {
        properties.put(PGProperty.TARGET_SERVER_TYPE.getName(), targetServer(value));
      } else if (name.equals("connect_timeout")) {
        properties.put(PGProperty.CONNECT_TIMEOUT.getName(), seconds(value));
      } else if (LIBPQ.containsKey(name)) {
        properties.put(LIBPQ.get(name).getName(), value);
      } else if (isOfJdbc(name)) {
        properties.put(name, value);
      } else {
        throw new IllegalArgumentException("URI: unknown parameter '" + name + "'");
      }
    }

    private static String targetServer(String value) {
      String type = TARGET_SERVERS.get(value);
      if (type == null) {
        throw new IllegalArgumentException(
            "URI: target_session_attrs: must be one of "
                + TARGET_SERVERS.keySet().stream().sorted().collect(Collectors.joining(", ")));
      }
      return type;
    }

    private static String seconds(String value) {
      if (!NUMBER.matcher(value).matches()) {
        throw new IllegalArgumentException("URI: connect_timeout: must be a number of seconds");
      }
      return value;
    }

    private static boolean isOfJdbc(String name) {
      // These would say a second time what the URI says in its place.
      return !Set.of("user", "password", "PGHOST", "PGPORT", "PGDBNAME").contains(name)
          && Arrays.stream(PGProperty.values()).anyMatch(p -> p.getName().equals(name));
    }

    private static String decode(String place, String text) {
      String decoded;
      try {
        // URLDecoder is made for forms, where '+' is a space; here it is a plus.
        decoded = URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
      } catch (IllegalArgumentException e) {
        // Its message quotes the text, which may be a password.
        throw new IllegalArgumentException(
            "URI: " + place + ": '%' must be followed by two hexadecimal digits");
      }
      // A password may hold any but NUL; the rest is shown, in one line.
      boolean bad =
          place.equals("password")
              ? decoded.indexOf('\0') >= 0
              : decoded.chars().anyMatch(Character::isISOControl);
      if (bad) {
        throw new IllegalArgumentException("URI: " + place + ": must not hold control characters");
      }
      return decoded;
    }

    private static String firstNotEmpty(
        @Nullable String first, @Nullable String second, String third) {
      if (first != null && !first.isEmpty()) {
        return first;
      }
      return second != null && !second.isEmpty() ? second : third;
    }
  }

  /** Which tables it means. */
  public Backend backend() {
    return backend;
  }

  /** Whether it means the PostgreSQL that the program brings along. */
  public boolean embedded() {
    return embedded;
  }

  /** The prefix of the harel tables, if one is given. */
  public Optional<String> prefix() {
    return Optional.ofNullable(harel.get("prefix"));
  }

  /** The same with other harel tables. */
  public QueueUri withPrefix(String prefix) {
    Map<String, String> other = new HashMap<>(harel);
    other.put("prefix", prefix);
    return new QueueUri(
        backend, embedded, hosts, database, user, password, properties, Map.copyOf(other));
  }

  /** The kind under which harel events are published, if one is given. */
  public Optional<String> kind() {
    return Optional.ofNullable(harel.get("kind"));
  }

  /** The JDBC URL, without user, password and properties; empty for an embedded one. */
  String jdbcUrl() {
    return "jdbc:postgresql://"
        + hosts.stream().map(Host::toString).collect(Collectors.joining(","))
        + "/"
        + java.net.URLEncoder.encode(database, StandardCharsets.UTF_8);
  }

  /** How many hosts are tried, one after the other. */
  int hostCount() {
    return hosts.size();
  }

  String user() {
    return user;
  }

  /** The password, if there is one here. */
  Optional<String> password() {
    return Optional.ofNullable(password);
  }

  /**
   * The password, which may stand in {@code ~/.pgpass}: that of the first host that has one, since
   * the driver itself looks for a list of hosts as for one name.
   */
  Optional<String> findPassword() {
    return password()
        .or(
            () ->
                hosts.stream().flatMap(h -> Optional.ofNullable(fromFile(h)).stream()).findFirst());
  }

  private @Nullable String fromFile(Host host) {
    return PgPassParser.getPassword(host.name(), Integer.toString(host.port()), database, user);
  }

  /** The driver's properties. */
  Map<String, String> properties() {
    return properties;
  }

  /** The URI as it may be shown: without password and parameters. */
  public String safe() {
    if (embedded) {
      return backend == Backend.LEGACY ? "embedded:" : "embedded-harel:";
    }
    return (backend == Backend.LEGACY ? "postgres://" : "harel://")
        + user
        + "@"
        + hosts.stream()
            .map(
                h ->
                    h.port() == DEFAULT_PORT
                        ? h.toString().replaceFirst(":5432$", "")
                        : h.toString())
            .collect(Collectors.joining(","))
        + "/"
        + database
        + prefix().map(prefix -> "?prefix=" + prefix).orElse("");
  }

  /** Whether both mean the same tables, reached in the same way with the same password. */
  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof QueueUri that
        && backend == that.backend
        && embedded == that.embedded
        && hosts.equals(that.hosts)
        && database.equals(that.database)
        && user.equals(that.user)
        && Objects.equals(password, that.password)
        && properties.equals(that.properties)
        && harel.equals(that.harel);
  }

  @Override
  public int hashCode() {
    return Objects.hash(backend, hosts, database, user, properties, harel);
  }

  /** As {@link #safe}. */
  @Override
  public String toString() {
    return safe();
  }
}
