package dev.sluice.compat;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.queue.MalformedMessageException;
import dev.sluice.queue.Message;
import dev.sluice.queue.MessageJson;
import dev.sluice.testing.ScaledTries;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Ours beside Go's own encoding/json. {@code -Dsluice.test.scale=N} multiplies the 10,000 cases of
 * each test, {@code -Dsluice.go.seed} (1) makes others.
 */
class MessageJsonGoTest {
  private static final Path FIXTURE = Path.of("fixtures", "queue-messages.jsonl");
  private static final int CASES = 10_000 * ScaledTries.SCALE;
  private static final long SEED = Long.getLong("sluice.go.seed", 1);

  // In ASCII, so that lone surrogates reach Go, as escapes.
  private static final JsonMapper JSON =
      JsonMapper.builder().enable(JsonWriteFeature.ESCAPE_NON_ASCII).build();

  private GoProgram go;

  // Before each, not before all: else a build without go would not count these as skipped.
  @BeforeEach
  void build() throws Exception {
    go = GoProgram.build();
  }

  @Test
  void writesRandomMessagesAsGoDoes() throws Exception {
    RandomMessages random = new RandomMessages(new Random(SEED));
    List<Message> messages = Stream.generate(random::next).limit(CASES).toList();

    assertThat(messages.stream().map(MessageJson::write))
        .isEqualTo(go.run("vectors", messages.stream().map(m -> fields(m).toString()).toList()));
  }

  @Test
  void readsRandomPayloadsAsGoDoes() throws Exception {
    RandomPayloads random = new RandomPayloads(new Random(SEED));
    List<String> payloads = Stream.generate(random::next).limit(CASES).toList();

    assertManyOfBoth(assertReadAsGoDoes(payloads));
  }

  @Test
  void readsMutatedMessagesOfGoAsGoDoes() throws Exception {
    RandomMessages messages = new RandomMessages(new Random(SEED));
    RandomPayloads mutations = new RandomPayloads(new Random(SEED));
    List<String> written =
        go.run(
            "vectors",
            Stream.generate(messages::next).limit(CASES).map(m -> fields(m).toString()).toList());

    assertManyOfBoth(assertReadAsGoDoes(written.stream().map(mutations::mutated).toList()));
  }

  private static void assertManyOfBoth(List<Reading> readings) {
    assertThat(readings.stream().filter(Reading::accepted).count())
        .as("accepted payloads, or the others prove nothing")
        .isBetween(CASES / 5L, CASES * 4L / 5);
  }

  @Test
  void readsTheFixtureAsGoDoes() throws Exception {
    List<String> payloads = new ArrayList<>();
    for (String line : Files.readAllLines(FIXTURE)) {
      payloads.add(JSON.readTree(line).get("payload").textValue());
    }

    assertReadAsGoDoes(payloads);
  }

  @ParameterizedTest
  @ValueSource(strings = {"null", " null\n"})
  void aPayloadNullIsAMessageToGoOnly(String payload) throws Exception {
    assertThat(theirs(List.of(payload)).get(0).accepted()).isTrue();
    assertThat(ours(payload)).isEmpty();
  }

  @Test
  void theFixtureIsWhatGoWrites() throws Exception {
    assertThat(go.run("fixture", List.of())).isEqualTo(Files.readAllLines(FIXTURE));
  }

  /** What a reader made of a payload: the fields, or nothing if it refused it. */
  private record Reading(String payload, Optional<Message> message) {
    boolean accepted() {
      return message.isPresent();
    }

    /** With the fields that {@link Message#toString} hides. */
    @Override
    public String toString() {
      return payload + " -> " + message.map(m -> fields(m).toString()).orElse("malformed");
    }
  }

  private List<Reading> assertReadAsGoDoes(List<String> payloads) throws Exception {
    List<Reading> ours = payloads.stream().map(p -> new Reading(p, ours(p))).toList();
    List<Reading> theirs = theirs(payloads);
    assertThat(ours).hasSameSizeAs(theirs);
    List<Reading> differences = new ArrayList<>();
    for (int i = 0; i < ours.size(); i++) {
      if (!ours.get(i).equals(theirs.get(i)) && !differsOnPurpose(payloads.get(i))) {
        differences.add(ours.get(i));
        differences.add(theirs.get(i));
      }
    }
    assertThat(differences).as("ours and Go's, by turns").isEmpty();
    return ours;
  }

  /** The whole list: see docs/compatibility.md. */
  private static boolean differsOnPurpose(String payload) {
    return payload.strip().equals("null");
  }

  private static Optional<Message> ours(String payload) {
    try {
      return Optional.of(MessageJson.read(payload));
    } catch (MalformedMessageException e) {
      return Optional.empty();
    }
  }

  private List<Reading> theirs(List<String> payloads) throws Exception {
    List<String> lines = new ArrayList<>();
    for (String payload : payloads) {
      lines.add(JSON.writeValueAsString(payload));
    }
    List<String> answers = go.run("read", lines);
    List<Reading> readings = new ArrayList<>();
    for (int i = 0; i < answers.size(); i++) {
      readings.add(new Reading(payloads.get(i), answer(answers.get(i))));
    }
    return readings;
  }

  private static Optional<Message> answer(String line) throws JsonProcessingException {
    JsonNode answer = JSON.readTree(line);
    JsonNode fields = answer.path("message");
    return answer.get("ok").booleanValue()
        ? Optional.of(
            new Message(
                fields.get("id").textValue(),
                fields.get("poolCode").textValue(),
                fields.get("authToken").textValue(),
                fields.get("signingSecret").textValue(),
                fields.get("mediationType").textValue(),
                fields.get("mediationTarget").textValue(),
                fields.get("messageGroupId").textValue(),
                fields.get("highPriority").booleanValue(),
                fields.get("dispatchMode").textValue()))
        : Optional.empty();
  }

  private static ObjectNode fields(Message message) {
    return JSON.createObjectNode()
        .put("id", message.id())
        .put("poolCode", message.poolCode())
        .put("authToken", message.authTokenOrNull())
        .put("signingSecret", message.signingSecretOrNull())
        .put("mediationType", message.mediationType())
        .put("mediationTarget", message.mediationTarget())
        .put("messageGroupId", message.messageGroupIdOrNull())
        .put("highPriority", message.highPriority())
        .put("dispatchMode", message.dispatchMode());
  }
}
