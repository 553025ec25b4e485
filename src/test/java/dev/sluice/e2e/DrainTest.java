package dev.sluice.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.e2e.RecordingTarget.Request;
import dev.sluice.queue.DispatchMode;
import dev.sluice.queue.Message;
import dev.sluice.queue.QueueRow;
import dev.sluice.queue.SchemaReport;
import dev.sluice.queue.legacy.LegacyQueue;
import dev.sluice.testing.Patience;
import dev.sluice.testing.TestDatabase;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

@Isolated("measures, or starts processes")
class DrainTest {
  private static final List<String> SMALL = List.of("-Xmx128m", "-XX:+UseSerialGC");
  private static final Set<String> ORDERED = Set.of("NEXT_ON_ERROR", "BLOCK_ON_ERROR");

  private TestDatabase database;
  private LegacyQueue orders;

  @BeforeEach
  void createTable() {
    database = TestDatabase.fresh();
    orders = LegacyQueue.builder(database.dataSource(), "orders").build();
    orders.initSchema();
  }

  @AfterEach
  void dropDatabase() {
    database.close();
  }

  @Test
  void rowsAsGoWritesThemReachTheirTargetInOrder() throws Exception {
    drainsTheFixture();
  }

  @Test
  void rowsAsGoWritesThemReachTheirTargetInOrderWithClaimIndexes() throws Exception {
    orders.admin().createExtra(SchemaReport.Extra.CLAIM_INDEXES);
    drainsTheFixture();
  }

  private void drainsTheFixture() throws Exception {
    try (RecordingTarget target = new RecordingTarget(Duration.ZERO)) {
      List<Fixture.Row> rows = Fixture.read(target.port());
      try (Connection connection = database.connect()) {
        Fixture.load(connection, rows);
      }
      Map<String, String> payloads = payloads();

      int exitCode;
      JsonNode summary;
      try (SluiceProcess drain =
          SluiceProcess.start(
              SMALL,
              List.of(
                  "drain",
                  "--uri",
                  database.uri(),
                  "--queue",
                  "orders",
                  "--wait",
                  "12",
                  "--json"))) {
        exitCode = drain.exitCode(600);
        summary = new ObjectMapper().readTree(drain.stdout());
      }

      List<Fixture.Row> ours = rows.stream().filter(r -> r.queue().equals("orders")).toList();
      Set<String> stay = mayNotLeave(ours);
      Set<String> quarantined =
          ids("SELECT id FROM queue_messages_failed WHERE queue_name = 'orders'");
      Map<String, Fixture.Row> byBody = new HashMap<>();
      ours.stream()
          .filter(r -> !stay.contains(r.id()) && !quarantined.contains(r.id()))
          .forEach(r -> byBody.put(r.body(), r));

      assertThat(exitCode).isEqualTo(4);
      assertThat(ids("SELECT id FROM queue_messages WHERE queue_name = 'orders'")).isEqualTo(stay);
      // 84 malformed rows; a target that cannot be called would be one more reason.
      assertThat(quarantined).hasSize(84);
      assertThat(ids("SELECT DISTINCT left(error_message, 11) FROM queue_messages_failed"))
          .containsExactly("malformed: ");
      assertThat(target.requests()).hasSize(byBody.size());
      target.requests().forEach(request -> assertAsked(request, known(byBody, request.body())));
      assertThat(orderViolations(target.requests(), byBody, ours)).isEmpty();
      assertThat(summary.get("delivered").asInt()).isEqualTo(byBody.size());
      assertThat(summary.get("remaining").asInt()).isEqualTo(stay.size());

      // What is left and what is in quarantine is, byte for byte, what the producer wrote.
      Map<String, String> left = payloads();
      assertThat(payloads).containsAllEntriesOf(left);
      assertThat(ids("SELECT id FROM queue_messages WHERE queue_name = 'other'")).hasSize(25);
    }
  }

  /** Claimed by somebody else, delayed by an hour, or behind a row that is. */
  private static Set<String> mayNotLeave(List<Fixture.Row> rows) {
    Set<String> stay = new TreeSet<>();
    Set<String> heldBack = new HashSet<>();
    for (Fixture.Row row : rows) {
      if (row.delayedLong()) {
        heldBack.add(row.claimGroup());
      }
      if (row.claimedElsewhere() || heldBack.contains(row.claimGroup())) {
        stay.add(row.id());
      }
    }
    return stay;
  }

  private static void assertAsked(Request request, Fixture.Row row) {
    JsonNode message = row.message().orElseThrow();
    assertThat(request.method()).isEqualTo("POST");
    assertThat("http://127.0.0.1" + request.uri())
        .isEqualTo(message.get("mediationTarget").asText().replaceFirst(":\\d+/", "/"));
    assertThat(request.contentType()).hasValue("application/json");
    assertThat(request.accept()).hasValue("application/json");
    if (message.hasNonNull("authToken")) {
      // The JDK's server trims the value: "Bearer " with an empty token comes in as "Bearer".
      assertThat(request.authorization().map(String::strip))
          .hasValue(("Bearer " + message.get("authToken").asText()).strip());
    } else {
      assertThat(request.authorization()).isEmpty();
    }
    if (message.hasNonNull("signingSecret")) {
      String timestamp = request.timestamp().orElseThrow();
      assertThat(timestamp).matches("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z");
      assertThat(request.signature())
          .hasValue(hmac(message.get("signingSecret").asText(), timestamp + request.body()));
    } else {
      assertThat(request.signature()).isEmpty();
    }
  }

  private static <T> T known(Map<String, T> map, String key) {
    return Objects.requireNonNull(map.get(key), () -> "nobody published " + key);
  }

  private static String hmac(String secret, String text) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      byte[] key = secret.getBytes(StandardCharsets.UTF_8);
      // A key of zero bytes and a key of one zero byte are the same to HMAC; Java takes the latter.
      mac.init(new SecretKeySpec(key.length == 0 ? new byte[1] : key, "HmacSHA256"));
      return HexFormat.of().formatHex(mac.doFinal(text.getBytes(StandardCharsets.UTF_8)));
    } catch (java.security.GeneralSecurityException e) {
      throw new AssertionError(e);
    }
  }

  /** Pairs of one ordered group whose first requests came in the wrong order. */
  private static List<String> orderViolations(
      List<Request> requests, Map<String, Fixture.Row> byBody, List<Fixture.Row> published) {
    Map<String, Integer> place = new HashMap<>();
    published.forEach(row -> place.putIfAbsent(row.id(), place.size()));
    Map<String, Fixture.Row> last = new HashMap<>();
    List<String> violations = new ArrayList<>();
    Set<String> seen = new HashSet<>();
    for (Request request : requests) {
      Fixture.Row row = known(byBody, request.body());
      if (!ORDERED.contains(row.mode()) || row.group() == null || !seen.add(row.id())) {
        continue;
      }
      Fixture.Row before = last.put(row.group(), row);
      if (before != null && known(place, before.id()) > known(place, row.id())) {
        violations.add(before.id() + " before " + row.id() + " in " + row.group());
      }
    }
    return violations;
  }

  @Test
  void nothingIsLostAndNothingOvertakesWhenTheProcessIsKilledTenTimes() throws Exception {
    orders.admin().createExtra(SchemaReport.Extra.CLAIM_INDEXES);
    try (RecordingTarget target = new RecordingTarget(Duration.ofMillis(5))) {
      Map<String, List<String>> groups = publishGroups(target.url(), 200, 40);
      int total = 200 * 40;
      List<String> arguments =
          List.of(
              "drain",
              "--uri",
              database.uri(),
              "--queue",
              "orders",
              "--groups",
              "exclusive",
              "--visibility",
              "10",
              "--wait",
              "120",
              "--json");
      int inFlightAtKills = 0;
      Random random = new Random(7);
      for (int kill = 0; kill < 10; kill++) {
        try (SluiceProcess drain = SluiceProcess.start(SMALL, arguments)) {
          int before = target.count();
          // Few: who stands still here for a moment has the drain go on meanwhile.
          int more = 50 + random.nextInt(150);
          Patience.await()
              .pollInterval(Duration.ofMillis(5))
              .until(() -> target.count() >= before + more || !drain.runs());
          assertThat(drain.runs())
              .as("the queue holds enough for ten kills: %s", drain.stderr())
              .isTrue();
          drain.kill();
        }
        inFlightAtKills += Math.toIntExact(orders.metrics().inFlight() + orders.metrics().lapsed());
      }
      try (SluiceProcess drain = SluiceProcess.start(SMALL, arguments)) {
        assertThat(drain.exitCode(600)).as(drain.stderr()).isZero();
      }

      Set<String> seen = new HashSet<>();
      Map<String, List<String>> firstSeen = new TreeMap<>();
      for (Request request : target.requests()) {
        String id = request.body().substring(14, request.body().length() - 2);
        if (seen.add(id)) {
          firstSeen
              .computeIfAbsent(id.substring(0, id.indexOf('-')), g -> new ArrayList<>())
              .add(id);
        }
      }
      assertThat(firstSeen).isEqualTo(groups);
      assertThat(orders.metrics().total()).isZero();
      assertThat(orders.metrics().quarantined()).hasValue(0);
      int repeats = target.requests().size() - total;
      System.out.printf(
          "ten kills: %d messages, %d repeats, %d in flight at the kills%n",
          total, repeats, inFlightAtKills);
      assertThat(repeats).isBetween(0, inFlightAtKills);
    }
  }

  private Map<String, List<String>> publishGroups(String url, int groups, int perGroup) {
    Map<String, List<String>> published = new TreeMap<>();
    for (int n = 0; n < perGroup; n++) {
      List<QueueRow> batch = new ArrayList<>();
      for (int g = 0; g < groups; g++) {
        String group = "g%03d".formatted(g);
        String id = "%s-%03d".formatted(group, n);
        published.computeIfAbsent(group, x -> new ArrayList<>()).add(id);
        batch.add(
            new QueueRow(
                "orders",
                Message.of(id, url).withGroup(group).withMode(DispatchMode.NEXT_ON_ERROR)));
      }
      orders.insertBatch(batch);
    }
    return published;
  }

  @Test
  void aHeapOf128MibIsEnoughForAMillionRows() throws Exception {
    try (RecordingTarget target = new RecordingTarget(Duration.ZERO)) {
      execute(
          "INSERT INTO queue_messages (id, queue_name, message_group_id, visible_at, payload, created_at)"
              + " SELECT 'm' || lpad(i::text, 7, '0'), 'orders', 'g' || i % 1000, 0,"
              + " '{\"id\":\"m' || lpad(i::text, 7, '0') || '\",\"mediationType\":\"HTTP\","
              + "\"mediationTarget\":\""
              + target.url()
              + "\"}', 1700000000 + i / 100"
              + " FROM generate_series(1, 1000000) i");
      orders.admin().createExtra(SchemaReport.Extra.CLAIM_INDEXES);
      try (SluiceProcess drain =
          SluiceProcess.start(
              SMALL, List.of("drain", "--uri", database.uri(), "--queue", "orders", "--json"))) {
        Patience.await().until(() -> target.count() >= 20_000 || !drain.runs());
        drain.terminate();

        assertThat(drain.exitCode(600)).as(drain.stderr()).isEqualTo(4);
        assertThat(drain.stderr()).doesNotContain("OutOfMemory");
      }
      // Ended in an orderly way: all that was claimed was settled or given back.
      assertThat(orders.metrics().inFlight()).isZero();
      assertThat(orders.metrics().total()).isEqualTo(1_000_000L - target.count());
    }
  }

  private Map<String, String> payloads() throws SQLException {
    Map<String, String> payloads = new HashMap<>();
    try (Connection connection = database.connect();
        Statement statement = connection.createStatement();
        var rows =
            statement.executeQuery(
                "SELECT queue_name || '/' || id, payload FROM queue_messages"
                    + " UNION ALL SELECT queue_name || '/' || id, payload FROM queue_messages_failed")) {
      while (rows.next()) {
        payloads.put(rows.getString(1), rows.getString(2));
      }
    }
    return payloads;
  }

  private Set<String> ids(String query) throws SQLException {
    Set<String> ids = new TreeSet<>();
    try (Connection connection = database.connect();
        Statement statement = connection.createStatement();
        var rows = statement.executeQuery(query)) {
      while (rows.next()) {
        ids.add(rows.getString(1));
      }
    }
    return ids;
  }

  private void execute(String sql) throws SQLException {
    try (Connection connection = database.connect();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
