package dev.sluice.config;

import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.sluice.router.PoolSettings;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;

/**
 * Reads the JSON document of one source. Takes what Go's {@code encoding/json} takes for it, but
 * refuses a key that stands twice in an object, of which Go takes the last.
 */
final class ConfigReader {
  private static final ObjectMapper JSON =
      JsonMapper.builder()
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .build();

  private static final String POOLS = "processingPools";
  private static final String QUEUES = "queues";
  private static final String CODE = "code";
  private static final String CONCURRENCY = "concurrency";
  private static final String RATE = "rateLimitPerMinute";
  private static final long MOST_CONCURRENCY = 10_000;
  private static final long UINT32 = 4_294_967_295L;

  private final String source;
  private final List<Warning> warnings = new ArrayList<>();

  /**
   * Something that is left out.
   *
   * @param about the same for what needs no second warning
   * @param text what it is, and where
   */
  record Warning(String about, String text) {}

  /**
   * @param source what the document is called in messages
   */
  ConfigReader(String source) {
    this.source = source;
  }

  /** What was left out so far. */
  List<Warning> warnings() {
    return warnings;
  }

  /**
   * @throws ConfigException if it is no JSON, or no config; the message names the place
   */
  RouterConfig read(byte[] document) {
    Fields root =
        new Fields(source, ": ", parse(document), Set.of(POOLS, QUEUES), key -> unknown(key));
    return new RouterConfig(pools(root), queues(root));
  }

  private JsonNode parse(byte[] document) {
    String text = new String(document, StandardCharsets.UTF_8);
    try {
      return JSON.readTree(text.startsWith("\ufeff") ? text.substring(1) : text);
    } catch (JsonProcessingException e) {
      // Jackson's own words repeat what stands there, which may be a password.
      JsonLocation at = e.getLocation();
      String what =
          e.getOriginalMessage().startsWith("Duplicate field")
              ? "has a key twice in one object"
              : "is no JSON";
      throw ConfigException.wrong(
          source,
          at == null
              ? what
              : what + ", at line " + at.getLineNr() + ", column " + at.getColumnNr());
    }
  }

  private List<PoolSettings> pools(Fields root) {
    Map<String, Integer> places = new LinkedHashMap<>();
    List<PoolSettings> pools = new ArrayList<>();
    List<JsonNode> nodes = elements(root, POOLS);
    for (int i = 0; i < nodes.size(); i++) {
      String place = root.place(POOLS + "[" + i + "]");
      PoolSettings pool = pool(place, nodes.get(i));
      Integer before = places.putIfAbsent(pool.code(), i);
      if (before == null) {
        pools.add(pool);
      } else if (!pools.contains(pool)) {
        throw ConfigException.wrong(
            place,
            "contradicts " + POOLS + "[" + before + "]: pool '" + pool.code() + "' is there too");
      }
    }
    return pools;
  }

  private PoolSettings pool(String place, JsonNode node) {
    Fields fields =
        new Fields(
            place, ".", node, Set.of(CODE, CONCURRENCY, RATE), key -> unknown(POOLS, place, key));
    String code =
        fields.text(CODE).orElseThrow(() -> ConfigException.wrong(place, "must have a " + CODE));
    long concurrency = fields.number(CONCURRENCY, MOST_CONCURRENCY).orElse(0);
    OptionalLong rate = fields.number(RATE, UINT32);
    return new PoolSettings(code, (int) concurrency, perMinute(rate));
  }

  // No limit is null or 0, as in Go.
  private static OptionalInt perMinute(OptionalLong rate) {
    return rate.orElse(0) == 0
        ? OptionalInt.empty()
        : OptionalInt.of((int) Math.min(Integer.MAX_VALUE, rate.getAsLong()));
  }

  private List<QueueConfig> queues(Fields root) {
    Map<QueueKey, Integer> places = new LinkedHashMap<>();
    List<QueueConfig> queues = new ArrayList<>();
    List<JsonNode> nodes = elements(root, QUEUES);
    for (int i = 0; i < nodes.size(); i++) {
      String place = root.place(QUEUES + "[" + i + "]");
      QueueConfig queue = QueueFields.read(place, nodes.get(i), key -> unknown(QUEUES, place, key));
      Integer before = places.putIfAbsent(QueueKey.of(queue), i);
      if (before == null) {
        queues.add(queue);
      } else if (!queues.contains(queue)) {
        throw ConfigException.wrong(
            place, "contradicts " + QUEUES + "[" + before + "], which is the same queue");
      }
    }
    return queues;
  }

  private static List<JsonNode> elements(Fields root, String key) {
    List<JsonNode> elements = new ArrayList<>();
    root.array(key).ifPresent(array -> array.forEach(elements::add));
    return elements;
  }

  private void unknown(String list, String place, String key) {
    warnings.add(new Warning(list + "[]." + key, place + "." + key + ": unknown key, left out"));
  }

  private void unknown(String key) {
    warnings.add(new Warning("." + key, source + ": " + key + ": unknown key, left out"));
  }
}
