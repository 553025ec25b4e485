package dev.sluice.compat;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.sluice.e2e.RecordingTarget;
import dev.sluice.e2e.SluiceProcess;
import dev.sluice.testing.Patience;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The router and a Python worker take over from each other what Python has published. */
@Isolated("measures, or starts processes")
class HarelTakesOverTest {
  private static final JsonMapper JSON = JsonMapper.builder().build();
  private static final int MESSAGES = 300;
  private static final int SHARE = MESSAGES / 4;
  private static final String VISIBILITY = "10";

  private @Nullable HarelTables tables;
  private @Nullable RecordingTarget target;

  @AfterEach
  void dropDatabase() {
    if (target != null) {
      target.close();
    }
    if (tables != null) {
      tables.close();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {HarelPackage.SEED, HarelPackage.NEWEST})
  void nothingIsLostWhenARouterIsKilledAndAWorkerTakesOver(String version) throws Exception {
    HarelTables made = tables(version);
    Map<String, String> groups = publish(made);
    RecordingTarget hook = target();
    try (SluiceProcess run =
        start(made, "run", "--target", hook.url(), "--batch", "10", "--http", "off")) {
      await(() -> hook.count() >= SHARE || !run.runs());
      run.kill();
    }
    List<String> done = new ArrayList<>(delivered(hook));
    Set<String> inFlight = inFlight(made);

    try (PeerProcess worker = made.start("work", "--visibility", VISIBILITY)) {
      await(() -> made.waiting() == 0 || !worker.runs());
      worker.terminate();
      int exitCode = worker.exitCode();
      assertThat(exitCode).as(worker.errors()).isZero();
      worker.events().stream().filter(e -> e.is("ack")).forEach(e -> done.add(e.eventId()));
    }

    assertThat(done).containsAll(groups.keySet());
    assertThat(repeated(done)).as("more than once").isSubsetOf(inFlight);
    assertThat(byGroup(done, groups)).isEqualTo(byGroup(groups.keySet(), groups));
  }

  @Test
  void nothingIsLostWhenAWorkerIsKilledAndDrainTakesOver() throws Exception {
    HarelTables made = tables(HarelPackage.NEWEST);
    Map<String, String> groups = publish(made);
    List<String> done = new ArrayList<>();
    Set<String> unsure = new HashSet<>();
    try (PeerProcess worker =
        made.start("work", "--tasks", "4", "--visibility", VISIBILITY, "--die-after", "0.3")) {
      assertThat(worker.exitCode()).isEqualTo(PeerProcess.KILLED);
      worker.events().stream().filter(e -> e.is("ack")).forEach(e -> done.add(e.eventId()));
      worker.events().stream().filter(e -> e.is("settle")).forEach(e -> unsure.add(e.eventId()));
    }
    RecordingTarget hook = target();

    try (SluiceProcess drain = start(made, "drain", "--target", hook.url(), "--wait", "120")) {
      assertThat(drain.exitCode(600)).as(drain.stderr()).isZero();
    }

    done.addAll(delivered(hook));
    Set<String> lost = new HashSet<>(groups.keySet());
    lost.removeAll(done);
    // Their acks may have been committed when the worker was killed.
    assertThat(unsure).containsAll(lost);
    assertThat(lost).hasSizeLessThanOrEqualTo(4);
    assertThat(done).as("each once").doesNotHaveDuplicates();
    assertThat(made.waiting()).isZero();
  }

  private HarelTables tables(String version) throws Exception {
    HarelTables made = new HarelTables(HarelPackage.of(version));
    tables = made;
    made.init();
    return made;
  }

  private RecordingTarget target() throws Exception {
    RecordingTarget made = new RecordingTarget(Duration.ofMillis(5));
    target = made;
    return made;
  }

  /** Which group each event is in, in the order in which they were published. */
  private static Map<String, String> publish(HarelTables tables) throws Exception {
    Map<String, String> groups = new LinkedHashMap<>();
    String count = Integer.toString(MESSAGES);
    for (String line : tables.harel().run(tables.command("produce", "--messages", count))) {
      PeerEvent event = PeerEvent.parse(line);
      groups.put(event.eventId(), event.groupId());
    }
    return groups;
  }

  private static SluiceProcess start(HarelTables tables, String command, String... options)
      throws Exception {
    List<String> arguments = new ArrayList<>(List.of(command, "--uri", tables.uri()));
    arguments.addAll(List.of("--visibility", VISIBILITY));
    arguments.addAll(List.of(options));
    return SluiceProcess.start(List.of("-Xmx128m", "-XX:+UseSerialGC"), arguments);
  }

  private static List<String> delivered(RecordingTarget target) throws JsonProcessingException {
    List<String> ids = new ArrayList<>();
    for (RecordingTarget.Request request : target.requests()) {
      ids.add(JSON.readTree(request.body()).get("id").textValue());
    }
    return ids;
  }

  /** The heads of the groups that a router holds. */
  private static Set<String> inFlight(HarelTables tables) throws Exception {
    return Set.of(
        tables
            .text(
                """
                SELECT COALESCE(string_agg(h.id, ','), '')
                FROM %s g
                CROSS JOIN LATERAL (
                  SELECT m.event::json->>'id' AS id FROM %s m
                  WHERE m.group_id = g.group_id ORDER BY m.seq LIMIT 1
                ) h
                WHERE g.locked_by LIKE 'sluice%%'"""
                    .formatted(tables.groups(), tables.messages()))
            .split(","));
  }

  private static Set<String> repeated(List<String> done) {
    Set<String> seen = new HashSet<>();
    Set<String> repeated = new HashSet<>();
    for (String id : done) {
      if (!seen.add(id)) {
        repeated.add(id);
      }
    }
    return repeated;
  }

  /** Group by group, as first seen. */
  private static Map<String, List<String>> byGroup(
      Collection<String> seen, Map<String, String> groups) {
    Map<String, List<String>> order = new HashMap<>();
    for (String id : new LinkedHashSet<>(seen)) {
      order.computeIfAbsent(String.valueOf(groups.get(id)), g -> new ArrayList<>()).add(id);
    }
    return order;
  }

  private static void await(Callable<Boolean> condition) {
    Patience.await().pollInterval(Duration.ofMillis(10)).until(condition);
  }
}
