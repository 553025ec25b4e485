package dev.sluice.compat;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.queue.harel.HarelQueue;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** The package's own tests of its transport, on tables that our schema init has made. */
@Isolated("measures, or starts processes")
class HarelOwnTestsTest {
  private static final List<String> SEEDS =
      List.of(
          "test_contract.py::test_contract",
          "test_contract.py::test_async_contract",
          "test_transport_contract.py::test_postgres_transport_contract",
          "test_async_postgres.py::test_async_postgres_distributed_pipeline",
          "test_async_postgres.py::test_async_postgres_transport_round_robin",
          "test_async_postgres.py::test_async_postgres_transport_min_priority_filters",
          "test_async_postgres.py::test_async_postgres_transport_group_row_deleted_on_drain");

  private static final List<String> NEWESTS =
      Stream.concat(
              SEEDS.stream(),
              Stream.of(
                  "test_transport_race.py::test_an_ack_racing_a_publish_into_its_group_keeps_the_message"))
          .toList();

  private @Nullable HarelTables tables;

  @AfterEach
  void dropDatabase() {
    if (tables != null) {
      tables.close();
    }
  }

  @Test
  void thoseOfTheSeedsVersionPassWithItsFunctions() throws Exception {
    assertThat(passedBySeed("theirs", false)).containsExactlyInAnyOrderElementsOf(names(SEEDS));
  }

  @Test
  void thoseOfTheSeedsVersionPassWithOurFunctionsAndTheGuard() throws Exception {
    assertThat(passedBySeed("ours", true)).containsExactlyInAnyOrderElementsOf(names(SEEDS));
  }

  @Test
  void thoseOfTheNewestVersionPassWithOurFunctions() throws Exception {
    assertThat(passedByNewest("ours", false)).containsExactlyInAnyOrderElementsOf(names(NEWESTS));
  }

  @Test
  void thoseOfTheNewestVersionPassWithItsFunctionsAndTheGuard() throws Exception {
    assertThat(passedByNewest("theirs", true)).containsExactlyInAnyOrderElementsOf(names(NEWESTS));
  }

  private List<String> passedBySeed(String functions, boolean guard) throws Exception {
    HarelTables made = tables(HarelPackage.SEED);
    made.init();
    if (guard) {
      made.guard();
    }
    return passed(made, HarelTables.sharedFunctions(Optional.empty()), "STM", functions, SEEDS);
  }

  private List<String> passedByNewest(String functions, boolean guard) throws Exception {
    String script =
        HarelQueue.schemaScript(Optional.of("placeholder"))
            .replace("CONCURRENTLY ", "")
            .replace("CREATE FUNCTION", "CREATE OR REPLACE FUNCTION")
            .replace("CREATE TRIGGER", "CREATE OR REPLACE TRIGGER");
    String schema =
        guard ? script : script.substring(0, script.indexOf("CREATE OR REPLACE TRIGGER"));
    return passed(tables(HarelPackage.NEWEST), schema, "HAREL", functions, NEWESTS);
  }

  private HarelTables tables(String version) throws Exception {
    HarelTables made = new HarelTables(HarelPackage.of(version));
    tables = made;
    return made;
  }

  private List<String> passed(
      HarelTables made, String schema, String variables, String functions, List<String> tests)
      throws Exception {
    Path file = Files.writeString(Files.createTempFile("schema", ".sql"), schema);
    ProcessBuilder pytest = pytest(made.harel(), tests);
    Map<String, String> environment = pytest.environment();
    environment.put("PYTHONPATH", HarelPackage.SOURCE.toAbsolutePath().toString());
    environment.put("SLUICE_SCHEMA", file.toString());
    environment.put("SLUICE_FUNCTIONS", functions);
    environment.put("SLUICE_DSN", made.dsn());
    environment.put(variables + "_TRANSPORT_BACKEND", "postgres");
    environment.put(variables + "_POSTGRES_DSN", made.dsn());
    try (PeerProcess process = PeerProcess.start(pytest)) {
      int exitCode = process.exitCode();
      assertThat(exitCode)
          .as("%s%n%s", String.join("\n", process.lines()), process.errors())
          .isZero();
      assertThat(hasOurClaims(made))
          .as("claims run through ours")
          .isEqualTo(functions.equals("ours"));
      return process.lines().stream()
          .filter(line -> line.startsWith("PASSED "))
          .map(HarelOwnTestsTest::name)
          .toList();
    } finally {
      Files.delete(file);
    }
  }

  private static List<String> names(List<String> tests) {
    return tests.stream().map(HarelOwnTestsTest::name).toList();
  }

  private static String name(String test) {
    return test.substring(test.indexOf("::") + 2);
  }

  private static boolean hasOurClaims(HarelTables made) throws Exception {
    return made.number(
            "SELECT count(*) FROM pg_proc"
                + " WHERE proname ~ '_claim$' AND prosrc LIKE '%sluice_claim_v1%'")
        > 0;
  }

  private static ProcessBuilder pytest(HarelPackage harel, List<String> tests)
      throws IOException, InterruptedException {
    Path sources = harel.sources();
    List<String> command =
        new ArrayList<>(List.of(harel.python(), "-m", "pytest", "-q", "-rA", "-p", "ours"));
    command.addAll(List.of("-p", "no:cacheprovider", "-m", "stack", "-o", "addopts="));
    // Without its src: what is tested is the package as installed.
    command.addAll(List.of("-o", "pythonpath=test deploy", "--rootdir", sources.toString()));
    command.addAll(List.of("-c", sources.resolve("pyproject.toml").toString()));
    command.addAll(List.of("-o", "asyncio_default_fixture_loop_scope=function"));
    for (String test : tests) {
      Path folder =
          test.startsWith("test_contract.py")
              ? HarelPackage.SOURCE.toAbsolutePath()
              : sources.resolve("test").resolve("integration");
      command.add(folder.resolve(test).toString());
    }
    return new ProcessBuilder(command).directory(sources.toFile());
  }
}
