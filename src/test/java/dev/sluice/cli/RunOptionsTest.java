package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.ConfigSource;
import dev.sluice.config.QueueConfig;
import dev.sluice.config.RouterConfig;
import dev.sluice.monitor.HttpAddress;
import dev.sluice.queue.uri.QueueUri;
import dev.sluice.router.PoolSettings;
import dev.sluice.router.RouterOptions.OnBlock;
import dev.sluice.router.RouterOptions.OnReject;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.ParameterException;

/** What {@code run} is told by options and by the environment, and which of them wins. */
class RunOptionsTest {
  private final Map<String, String> environment = new LinkedHashMap<>();

  @Command(name = "run")
  private static class Options {
    @SuppressWarnings("UnusedVariable") // only looked at on the command line
    @Mixin
    final QueueOptions queue = new QueueOptions();

    @Mixin final ConfigOptions config = new ConfigOptions();
    @Mixin final PoolOptions pools = new PoolOptions();
    @Mixin final FlowOptions flow = new FlowOptions();
    @Mixin final EndpointOptions endpoint = new EndpointOptions();
  }

  @Command(name = "drain")
  private static final class DrainOptions extends Options {}

  @Command(name = "run")
  private static final class Settings {
    @Mixin final RouterSettings settings = new RouterSettings();
  }

  private Console console() {
    return new Console(
        new ByteArrayInputStream(new byte[0]),
        new ByteArrayOutputStream(),
        new ByteArrayOutputStream(),
        Console.Terminal.NONE,
        environment);
  }

  private <T> T parse(T options, String... arguments) {
    Cli.reading(new CommandLine(options), new EnvironmentDefaults(console())).parseArgs(arguments);
    return options;
  }

  private Options parse(String... arguments) {
    return parse(new Options(), arguments);
  }

  private List<String> sources(String... arguments) {
    return parse(arguments).config.sources().stream().map(ConfigSource::toString).toList();
  }

  @Test
  void configsAreRepeatedOrSeparatedByCommas() {
    assertThat(sources("--config", "a.json, https://u:p@b/c?d", "--config", "e.json,"))
        .containsExactly("a.json", "https://b/c", "e.json");
  }

  @Test
  void theConfigOfTheEnvironmentIsReadUnderTheGoRoutersName() {
    environment.put("FLOWCATALYST_CONFIG_URL", "http://a/x,http://b/y");

    assertThat(sources()).containsExactly("http://a/x", "http://b/y");
    assertThat(sources("--config", "c.json")).containsExactly("c.json");
  }

  @ParameterizedTest
  @ValueSource(strings = {"--uri=embedded:", "--queue=q"})
  void aQueueOnTheCommandLineContradictsAConfigThere(String option) {
    Options options = parse("--config", "c.json", option);

    assertThatThrownBy(options.config::sources)
        .isInstanceOf(CommandException.class)
        .hasMessage("--config names the queues: leave out --uri and --queue");
  }

  @ParameterizedTest
  @ValueSource(strings = {"--uri=embedded:", "--queue=q"})
  void aQueueOnTheCommandLineBeatsAConfigOfTheEnvironment(String option) {
    environment.put("FLOWCATALYST_CONFIG_URL", "http://a/x");

    assertThat(sources(option)).isEmpty();
  }

  @Test
  void aConfigBeatsAQueueOfTheEnvironment() {
    environment.put("FC_DATABASE_URL", "postgres://app@db/shop");
    environment.put("SLUICE_QUEUE", "q");

    assertThat(sources("--config", "c.json")).containsExactly("c.json");
    environment.put("SLUICE_CONFIG", "d.json");
    assertThat(sources()).containsExactly("d.json");
  }

  @Test
  void withoutAConfigThereIsNone() {
    assertThat(sources("--uri", "embedded:", "--queue", "q")).isEmpty();
    environment.put("FLOWCATALYST_CONFIG_URL", " ");
    assertThat(sources()).isEmpty();
  }

  @Test
  void aSourceThatIsNoneIsToldWithoutItsPassword() {
    Options options = parse("--config", "https://user:s3cret@/x");

    assertThatThrownBy(options.config::sources)
        .isInstanceOf(CommandException.class)
        .hasMessage("--config: no URL of a config: no host in the URL");
  }

  @Test
  void theIntervalIsFiveMinutesUnlessToldOtherwise() {
    assertThat(parse().config.interval()).contains(Duration.ofMinutes(5));
    environment.put("FC_ROUTER_CONFIG_INTERVAL_SECONDS", "30");
    assertThat(parse().config.interval()).contains(Duration.ofSeconds(30));
    assertThat(parse("--config-interval", "1m").config.interval()).contains(Duration.ofMinutes(1));
    assertThat(parse("--config-interval", "0").config.interval()).isEmpty();
    assertThatThrownBy(parse("--config-interval", "25h").config::interval)
        .hasMessage("--config-interval: must be at most a day");
  }

  @Test
  void poolsAreGivenByCodeConcurrencyAndRate() {
    assertThat(parse("--pool", "A:5", "--pool", "B:0:600,c:d:7").pools.over(List.of()))
        .containsExactly(
            PoolSettings.of("A", 5),
            PoolSettings.of("B", 10).perMinute(600),
            PoolSettings.of("c:d", 7));
  }

  @ParameterizedTest
  @ValueSource(strings = {"A", "A:", ":5", "A:x", "A:5:x", "A:5:0", "A:10001", "A:-1"})
  void whatIsNoPoolIsRefused(String pool) {
    assertThatThrownBy(() -> parse("--pool", pool))
        .isInstanceOf(ParameterException.class)
        .hasMessageContaining("--pool");
  }

  @Test
  void anOptionBeatsAVariableBeatsTheFile() {
    List<PoolSettings> file =
        List.of(
            PoolSettings.of("A", 1),
            PoolSettings.of("B", 2),
            PoolSettings.of("DEFAULT-POOL", 3).perMinute(60));
    environment.put("SLUICE_POOL", "A:10");

    assertThat(parse().pools.over(file)).startsWith(PoolSettings.of("A", 10)).hasSize(3);
    assertThat(parse("--pool", "B:20").pools.over(file))
        .startsWith(PoolSettings.of("A", 1), PoolSettings.of("B", 20));
    assertThat(parse("--concurrency", "50").pools.over(file))
        .endsWith(PoolSettings.of("DEFAULT-POOL", 50).perMinute(60));
    assertThat(parse("--concurrency", "50").pools.over(List.of()))
        .endsWith(PoolSettings.of("DEFAULT-POOL", 50));
  }

  @Test
  void poolsThatContradictEachOtherAreRefused() {
    assertThatThrownBy(() -> parse("--pool", "A:1,A:2").pools.over(List.of()))
        .isInstanceOf(CommandException.class)
        .hasMessage("--pool: 'A' is given twice, with different values");
    assertThatThrownBy(
            () -> parse("--pool", "DEFAULT-POOL:1", "--concurrency", "2").pools.over(List.of()))
        .isInstanceOf(CommandException.class)
        .hasMessage("--concurrency: contradicts --pool, which has DEFAULT-POOL too");
  }

  @Test
  void aVisibilityThatIsGivenBeatsThatOfTheFile() {
    QueueConfig queue =
        new QueueConfig("q", QueueUri.parse("embedded:"), 1, Duration.ofSeconds(60));
    RouterConfig file = new RouterConfig(List.of(), List.of(queue));

    assertThat(parse(new Settings()).settings.over(file).queues()).containsExactly(queue);
    assertThat(parse(new Settings(), "--visibility", "90").settings.over(file).queues())
        .containsExactly(queue.withVisibility(Duration.ofSeconds(90)));
  }

  @ParameterizedTest
  @CsvSource({"0, 3600", "1800, 1800"})
  void theLongestDeferralIsReadUnderTheGoRoutersName(String given, long seconds) {
    assertThat(parse().flow.maxDeferral()).isEqualTo(Duration.ofHours(1));
    environment.put("FC_ROUTER_DEFERRAL_MAX_DELAY_SECONDS", given);
    assertThat(parse().flow.maxDeferral()).isEqualTo(Duration.ofSeconds(seconds));
  }

  @Test
  void aBlockedGroupIsKeptUnlessToldOtherwise() {
    assertThat(parse().flow.onBlock(OnReject.QUARANTINE)).isEqualTo(OnBlock.QUARANTINE);
    assertThat(parse().flow.onBlock(OnReject.DROP)).isEqualTo(OnBlock.ACK);
    assertThat(parse("--on-block", "ack").flow.onBlock(OnReject.QUARANTINE)).isEqualTo(OnBlock.ACK);
  }

  @Test
  void theGoRoutersPortIsServedOnThisMachineOnly() {
    Optional<HttpAddress> otherwise = Optional.of(HttpAddress.DEFAULT);

    assertThat(parse().endpoint.address(otherwise)).isEqualTo(otherwise);
    environment.put("FC_API_PORT", "9090");
    assertThat(parse().endpoint.address(otherwise)).contains(new HttpAddress("127.0.0.1", 9090));
    assertThat(parse("--http", "0.0.0.0:80").endpoint.address(otherwise))
        .contains(new HttpAddress("0.0.0.0", 80));
    environment.put("SLUICE_HTTP", "off");
    assertThat(parse().endpoint.address(otherwise)).isEmpty();
  }

  @Test
  void drainDoesNotTakeThePortOfARouterBesideIt() {
    environment.put("FC_API_PORT", "9090");

    assertThat(parse(new DrainOptions()).endpoint.address(Optional.empty())).isEmpty();
  }

  @Test
  void theLoginComesFromTheEnvironmentUnderBothNames() {
    assertThat(EndpointOptions.login(console())).isEmpty();
    environment.put("AUTH_BASIC_USERNAME", "old");
    environment.put("AUTH_BASIC_PASSWORD", "older");
    assertThat(EndpointOptions.login(console()))
        .contains(new EndpointOptions.Login("old", "older"));
    environment.put("FC_ROUTER_AUTH_USER", "new");
    environment.put("FC_ROUTER_AUTH_PASS", "s3cret");
    assertThat(EndpointOptions.login(console()))
        .contains(new EndpointOptions.Login("new", "s3cret"))
        .hasToString("Optional[Login[***]]");
    assertThat(EndpointOptions.credentials(console())).hasToString("Optional[Credentials[***]]");
  }

  @Test
  void halfALoginIsRefused() {
    environment.put("FC_ROUTER_AUTH_USER", "admin");

    assertThatThrownBy(() -> EndpointOptions.login(console()))
        .isInstanceOf(CommandException.class)
        .hasMessage("FC_ROUTER_AUTH_USER is set, but not FC_ROUTER_AUTH_PASS");
  }
}
