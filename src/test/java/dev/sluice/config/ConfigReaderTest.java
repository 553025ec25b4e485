package dev.sluice.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.queue.uri.QueueUri;
import dev.sluice.router.PoolSettings;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ConfigReaderTest {
  private static final QueueUri SHOP = QueueUri.parse("postgres://app@db/shop");

  private final ConfigReader reader = new ConfigReader("config.json");

  /** Quotes are written as apostrophes. */
  private RouterConfig read(String json) {
    return reader.read(json.replace('\'', '"').getBytes(StandardCharsets.UTF_8));
  }

  private QueueConfig queue(String fields) {
    return read("{'queues':[{" + fields + "}]}").queues().get(0);
  }

  private List<String> warnings() {
    return reader.warnings().stream().map(ConfigReader.Warning::text).toList();
  }

  @Test
  void poolsAndQueuesAreRead() {
    RouterConfig config =
        read(
            """
            {'processingPools': [
               {'code': 'FAST', 'concurrency': 50},
               {'code': 'SLOW', 'concurrency': 2, 'rateLimitPerMinute': 120}],
             'queues': [
               {'queueName': 'orders', 'queueUri': 'postgres://app@db/shop',
                'connections': 3, 'visibilityTimeout': 60}]}
            """);

    assertThat(config.pools())
        .containsExactly(PoolSettings.of("FAST", 50), PoolSettings.of("SLOW", 2).perMinute(120));
    assertThat(config.queues())
        .containsExactly(new QueueConfig("orders", SHOP, 3, Duration.ofSeconds(60)));
    assertThat(warnings()).isEmpty();
  }

  @Test
  void whatIsLeftOutHasTheDefaultsOfGo() {
    assertThat(queue("'queueName':'orders','queueUri':'postgres://app@db/shop'"))
        .isEqualTo(new QueueConfig("orders", SHOP, 1, Duration.ofMinutes(2)));
    assertThat(queue("'queueUri':'postgres://app@db/shop'").name())
        .isEqualTo("postgres://app@db/shop");
  }

  @Test
  void theOldKeysAreTaken() {
    assertThat(queue("'name':'orders','uri':'postgres://app@db/shop'"))
        .isEqualTo(new QueueConfig("orders", SHOP, 1, Duration.ofMinutes(2)));
    assertThat(queue("'name':'orders','queueName':'orders','uri':'postgres://app@db/shop'").name())
        .isEqualTo("orders");
  }

  @Test
  void theCaseOfKeysDoesNotMatter() {
    RouterConfig config =
        read("{'PROCESSINGPOOLS':[{'Code':'A'}],'Queues':[{'QueueURI':'embedded:'}]}");

    assertThat(config.pools()).containsExactly(PoolSettings.of("A", 1));
    assertThat(config.queues()).hasSize(1);
    assertThat(warnings()).isEmpty();
  }

  @Test
  void nullIsAsIfItWereNotThere() {
    assertThat(read("{'processingPools':null,'queues':null}"))
        .isEqualTo(new RouterConfig(List.of(), List.of()));
    assertThat(
            queue(
                "'queueName':null,'name':'orders','queueUri':'embedded:','connections':null,"
                    + "'visibilityTimeout':null"))
        .isEqualTo(
            new QueueConfig("orders", QueueUri.parse("embedded:"), 1, Duration.ofMinutes(2)));
  }

  @Test
  void aConcurrencyOf0FollowsFromTheRate() {
    assertThat(read("{'processingPools':[{'code':'A','concurrency':0,'rateLimitPerMinute':600}]}"))
        .extracting(config -> config.pools().get(0).concurrency())
        .isEqualTo(10);
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "null"})
  void aRateOf0IsNoLimit(String rate) {
    assertThat(read("{'processingPools':[{'code':'A','rateLimitPerMinute':" + rate + "}]}").pools())
        .containsExactly(PoolSettings.of("A", 1));
  }

  @Test
  void aVisibilityOf0IsWhatTheQueueMakesOfIt() {
    assertThat(queue("'queueUri':'embedded:','visibilityTimeout':0").visibility())
        .isEqualTo(Duration.ofSeconds(30));
  }

  @Test
  void aHarelQueueIsCalledAfterItsUriWithoutThePassword() {
    assertThat(queue("'queueUri':'harel://app:s3cret@db/shop?prefix=p'").name())
        .isEqualTo("harel://app@db/shop?prefix=p");
    assertThat(
            queue(
                    "'queueName':'harel://app:s3cret@db/shop','queueUri':'harel://app:s3cret@db/shop'")
                .name())
        .isEqualTo("harel://app@db/shop");
  }

  @Test
  void unknownKeysAreWarnedOfWithTheirPlace() {
    read(
        "{'version':2,'processingPools':[{'code':'A','colour':'red'}],"
            + "'queues':[{'queueUri':'embedded:','a\\nb':{'x':[1]}}]}");

    assertThat(warnings())
        .containsExactlyInAnyOrder(
            "config.json: version: unknown key, left out",
            "config.json: processingPools[0].colour: unknown key, left out",
            "config.json: queues[0].(a key of 3 characters): unknown key, left out");
  }

  @Test
  void whatStandsTwiceAlikeIsThereOnce() {
    RouterConfig config =
        read(
            "{'processingPools':[{'code':'A'},{'code':'A'}],'queues':["
                + "{'queueName':'q','queueUri':'postgres://app@db/shop'},"
                + "{'queueName':'q','queueUri':'postgresql://app@db:5432/shop'},"
                + "{'queueName':'r','queueUri':'postgres://app@db/shop'}]}");

    assertThat(config.pools()).hasSize(1);
    assertThat(config.queues()).extracting(QueueConfig::name).containsExactly("q", "r");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "{'processingPools':{}} | processingPools: must be an array, was an object",
        "{'processingPools':[7]} | processingPools[0]: must be an object, was a number",
        "{'processingPools':[null]} | processingPools[0]: must be an object, was null",
        "{'processingPools':[{}]} | processingPools[0]: must have a code",
        "{'processingPools':[{'code':''}]} | processingPools[0].code: must not be empty",
        "{'processingPools':[{'code':5}]} | processingPools[0].code: must be a string, was a number",
        "{'processingPools':[{'code':'A'},{'code':'B'},{'code':'C','concurrency':'5'}]} |"
            + " processingPools[2].concurrency: must be a whole number from 0 to 10000, was a string",
        "{'processingPools':[{'code':'A','concurrency':-1}]} |"
            + " processingPools[0].concurrency: must be a whole number from 0 to 10000, was -1",
        "{'processingPools':[{'code':'A','concurrency':1.0}]} |"
            + " processingPools[0].concurrency: must be a whole number from 0 to 10000, was 1.0",
        "{'processingPools':[{'code':'A','concurrency':10001}]} |"
            + " processingPools[0].concurrency: must be a whole number from 0 to 10000, was 10001",
        "{'processingPools':[{'code':'A','rateLimitPerMinute':true}]} |"
            + " processingPools[0].rateLimitPerMinute: must be a whole number from 0 to 4294967295,"
            + " was a boolean",
        "{'processingPools':[{'code':'A','rateLimitPerMinute':99999999999999999999}]} |"
            + " processingPools[0].rateLimitPerMinute: must be a whole number from 0 to 4294967295,"
            + " was 99999999999999999999",
        "{'processingPools':[{'code':'A'},{'code':'A','concurrency':5}]} |"
            + " processingPools[1]: contradicts processingPools[0]: pool 'A' is there too",
        "{'queues':'q'} | queues: must be an array, was a string",
        "{'queues':[{'queueName':'q'}]} | queues[0]: must have a queueUri",
        "{'queues':[{'queueUri':'sqs://s3cret/x'}]} | queues[0].queueUri: there is no backend for"
            + " sqs://, only for postgres://, postgresql:// and harel://",
        "{'queues':[{'uri':'nats://a:s3cret@b'}]} | queues[0].uri: there is no backend for nats://,"
            + " only for postgres://, postgresql:// and harel://",
        "{'queues':[{'queueUri':'rabbitmq:s3cret'}]} | queues[0].queueUri: must begin with"
            + " postgres://, postgresql:// or harel://, or be embedded: or embedded-harel:",
        "{'queues':[{'queueUri':'postgres://a:s3cret@b/c?nonsense=1'}]} |"
            + " queues[0].queueUri: unknown parameter 'nonsense'",
        "{'queues':[{'queueUri':'postgres://a:s3cret@b/c'}]} | queues[0]: must have a queueName; its"
            + " default, the URI, holds a password",
        "{'queues':[{'queueUri':'postgres://a@b/c?sslpassword=s3cret'}]} | queues[0]: must have a"
            + " queueName; its default, the URI, holds a password",
        "{'queues':[{'queueUri':'embedded:','name':'postgres://a:s3cret@b/c'}]} |"
            + " queues[0]: queueName must not hold a password",
        "{'queues':[{'queueUri':'embedded:','name':'a','queueName':'b'}]} |"
            + " queues[0].name: contradicts queueName",
        "{'queues':[{'queueUri':'embedded:','uri':'embedded-harel:'}]} |"
            + " queues[0].uri: contradicts queueUri",
        "{'queues':[{'queueUri':'embedded:','queueName':''}]} |"
            + " queues[0].queueName: must not be empty",
        "{'queues':[{'queueUri':'embedded:','queueName':'a\\u0000b'}]} | queues[0].queueName: must"
            + " not hold control characters or halves of surrogate pairs",
        "{'queues':[{'queueUri':'embedded:','queueName':'\\ud800'}]} | queues[0].queueName: must"
            + " not hold control characters or halves of surrogate pairs",
        "{'queues':[{'queueUri':'embedded:','connections':1001}]} |"
            + " queues[0].connections: must be a whole number from 0 to 1000, was 1001",
        "{'queues':[{'queueUri':'embedded:','visibilityTimeout':43201}]} |"
            + " queues[0].visibilityTimeout: must be a whole number from 0 to 43200, was 43201",
        "{'queues':[{'queueUri':'embedded:'},{'queueUri':'embedded:','connections':2}]} |"
            + " queues[1]: contradicts queues[0], which is the same queue",
        "{'queues':[{'queueUri':'embedded:','QueueURI':'embedded:'}]} |"
            + " queues[0].queueUri: stands twice",
      })
  void whatIsWrongIsRefusedWithItsPlace(String json, String message) {
    assertThatThrownBy(() -> read(json))
        .isInstanceOf(ConfigException.class)
        .hasMessage("config.json: " + message)
        .hasMessageNotContaining("s3cret");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "[] | must be an object, was an array",
        "null | must be an object, was null",
        "7 | must be an object, was a number",
        "{'a':s3cret} | is no JSON, at line 1, column 6",
        "{'queues':[]} x | is no JSON, at line 1, column 15",
        "{'a':1, 'a':2} | has a key twice in one object, at line 1, column 12",
        "{'x':{'b':1,'b':1}} | has a key twice in one object, at line 1, column 16",
        "// no comment | is no JSON, at line 1, column 1",
      })
  void whatIsNoJsonIsRefused(String json, String message) {
    assertThatThrownBy(() -> read(json))
        .isInstanceOf(ConfigException.class)
        .hasMessage("config.json: " + message);
  }

  @Test
  void anEmptyDocumentIsRefused() {
    assertThatThrownBy(() -> read("")).hasMessage("config.json: must be an object, was nothing");
  }

  @Test
  void aByteOrderMarkIsPassedOver() {
    assertThat(read("\ufeff{}")).isEqualTo(new RouterConfig(List.of(), List.of()));
  }

  @Test
  void deepNestingIsRefused() {
    assertThatThrownBy(() -> read("[".repeat(100_000)))
        .isInstanceOf(ConfigException.class)
        .hasMessage("config.json: is no JSON");
  }
}
