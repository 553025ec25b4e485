package dev.sluice.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class MessageJsonTest {
  private static final Path VECTORS = Path.of("fixtures", "vectors");

  // Writing

  @ParameterizedTest
  @MethodSource("messageVectors")
  void writesTheBytesThatGoWrites(JsonNode vector) {
    assertThat(MessageJson.write(message(vector.get("message"))))
        .isEqualTo(vector.get("json").textValue());
  }

  @ParameterizedTest
  @MethodSource("messageVectors")
  void readsWhatGoWrote(JsonNode vector) throws Exception {
    assertThat(MessageJson.read(vector.get("json").textValue()))
        .isEqualTo(message(vector.get("message")));
  }

  @ParameterizedTest
  @MethodSource("signatureVectors")
  void theBodyNamesTheMessageAsGoWritesIt(JsonNode vector) {
    assertThat(MessageJson.body(vector.get("messageId").textValue()))
        .isEqualTo(vector.get("body").textValue());
  }

  @Test
  void escapesControlsInLowerCaseHex() {
    assertThat(MessageJson.body("\u0000\u0001\u001b\u001f"))
        .isEqualTo("{\"messageId\":\"\\u0000\\u0001\\u001b\\u001f\"}");
  }

  @Test
  void escapesNothingElseAboveTheControls() {
    String raw =
        " !#%'()*+,-./:;=?@[]^_`{|}~\u007f\u0080\u00a0\u200b\u2027\u202a\ufeff\ufffd\uffff";

    assertThat(MessageJson.body(raw)).isEqualTo("{\"messageId\":\"" + raw + "\"}");
  }

  @Test
  void writesALoneSurrogateAsGoWritesInvalidUtf8() {
    assertThat(MessageJson.body("a\ud800b\udc00\ud83d\ude00\ud83d"))
        .isEqualTo("{\"messageId\":\"a\\ufffdb\\ufffd\ud83d\ude00\\ufffd\"}");
  }

  @Property(tries = 500, seed = "2026")
  void readsBackWhatItWrote(@ForAll("messages") Message message) throws Exception {
    assertThat(MessageJson.read(MessageJson.write(message))).isEqualTo(message);
  }

  @Property(tries = 500, seed = "2026")
  void writesReadableJsonWhateverTheCharacters(@ForAll String id) throws Exception {
    assertThat(MessageJson.read(MessageJson.write(Message.of(id, ""))).id())
        .isEqualTo(withReplacedSurrogates(id));
  }

  // Reading: fields

  @Test
  void anEmptyObjectIsAMessageWithEveryFieldUnset() throws Exception {
    assertThat(MessageJson.read("{}"))
        .isEqualTo(new Message("", "", null, null, "", "", null, false, ""));
  }

  @Test
  void readsEveryField() throws Exception {
    assertThat(
            MessageJson.read(
                """
                {"dispatchMode":"NEXT_ON_ERROR","highPriority":true,"messageGroupId":"g",
                 "mediationTarget":"t","mediationType":"HTTP","signingSecret":"s",
                 "authToken":"a","poolCode":"p","id":"i"}
                """))
        .isEqualTo(new Message("i", "p", "a", "s", "HTTP", "t", "g", true, "NEXT_ON_ERROR"));
  }

  @Test
  void ignoresUnknownFieldsWhateverTheyHold() throws Exception {
    assertThat(
            MessageJson.read(
                """
                {"a":null,"b":[1,{"id":"inner"},[]],"id":"outer","c":{"id":"inner"},"d":-0.0e-0,
                 "e":1e999999,"f":"\\u0000","":"","g":true}"""))
        .isEqualTo(idOnly("outer"));
  }

  @Test
  void anUnknownDispatchModeIsKeptAndMeansImmediate() throws Exception {
    Message message =
        MessageJson.read("{\"messageGroupId\":\"g\",\"dispatchMode\":\"ROUND_ROBIN\"}");

    assertThat(message.dispatchMode()).isEqualTo("ROUND_ROBIN");
    assertThat(message.mode()).isEqualTo(DispatchMode.IMMEDIATE);
  }

  @ParameterizedTest
  @ValueSource(strings = {"POOLCODE", "poolcode", "PoolCode", "pool\\u0043ode", "\\u0050OOLCODE"})
  void matchesKeysWhateverTheirCase(String key) throws Exception {
    assertThat(MessageJson.read("{\"" + key + "\":\"P1\"}").poolCode()).isEqualTo("P1");
  }

  @Test
  void theLongSFoldsToS() throws Exception {
    assertThat(MessageJson.read("{\"me\u017f\u017fageGroupId\":\"g\"}").messageGroupId())
        .contains("g");
  }

  @Test
  void theKelvinSignFoldsToK() throws Exception {
    assertThat(MessageJson.read("{\"authTo\u212aen\":\"t\"}").authToken()).contains("t");
  }

  @ParameterizedTest
  @ValueSource(strings = {"\u0131d", "\u0130d", "i\u0307d", "id ", " id", "i d", "\uff49\uff44"})
  void otherLookalikesDoNotFold(String key) throws Exception {
    assertThat(MessageJson.read("{\"" + key + "\":5}").id()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"id\":\"first\",\"id\":\"last\"}",
        "{\"ID\":\"first\",\"id\":\"last\"}",
        "{\"id\":\"first\",\"Id\":\"last\"}"
      })
  void theLastOfDuplicateKeysWins(String payload) throws Exception {
    assertThat(MessageJson.read(payload).id()).isEqualTo("last");
  }

  @Test
  void nullLeavesAStringAsItWas() throws Exception {
    assertThat(MessageJson.read("{\"id\":\"x\",\"id\":null,\"poolCode\":null}"))
        .isEqualTo(idOnly("x"));
  }

  @Test
  void nullLeavesABooleanAsItWas() throws Exception {
    assertThat(MessageJson.read("{\"highPriority\":true,\"highPriority\":null}").highPriority())
        .isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"authToken", "signingSecret", "messageGroupId"})
  void nullResetsAPointer(String field) throws Exception {
    assertThat(MessageJson.read("{\"%s\":\"x\",\"%s\":null}".formatted(field, field)))
        .isEqualTo(idOnly(""));
  }

  @Test
  void anEmptyPointerIsNotAbsent() throws Exception {
    Message message =
        MessageJson.read("{\"authToken\":\"\",\"signingSecret\":\"\",\"messageGroupId\":\"\"}");

    assertThat(message.authToken()).contains("");
    assertThat(message.signingSecret()).contains("");
    assertThat(message.messageGroupId()).contains("");
  }

  // Reading: strings

  @Test
  void decodesEveryEscape() throws Exception {
    assertThat(
            MessageJson.read("{\"id\":\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u0000\\u00Fc\\uD83d\\uDe00\"}"))
        .isEqualTo(idOnly("\"\\/\b\f\n\r\t\u0000\u00fc\ud83d\ude00"));
  }

  @Test
  void takesRawCharactersFromDeleteOnwards() throws Exception {
    assertThat(MessageJson.read("{\"id\":\"\u007f\u0080\u2028\ufeff\uffff\"}").id())
        .isEqualTo("\u007f\u0080\u2028\ufeff\uffff");
  }

  @ParameterizedTest
  @MethodSource("loneSurrogates")
  void aLoneSurrogateBecomesTheReplacementCharacter(String text, String expected) throws Exception {
    assertThat(MessageJson.read("{\"id\":\"" + text + "\"}").id()).isEqualTo(expected);
  }

  @Test
  void aLoneSurrogateMayStandInAKey() throws Exception {
    assertThat(MessageJson.read("{\"\\ud800\":1,\"\ud800\":2,\"id\":\"x\",\"\\udc00id\":\"y\"}"))
        .isEqualTo(idOnly("x"));
  }

  // Reading: limits

  @Test
  void nestsAsDeepAsGo() throws Exception {
    String arrays = "[".repeat(9_999) + "]".repeat(9_999);

    assertThat(MessageJson.read("{\"deep\":" + arrays + ",\"id\":\"x\"}").id()).isEqualTo("x");
    assertMalformed("{\"deep\":[" + arrays + "]}", "the payload is nested too deeply");
  }

  @Test
  void takesNumbersStringsAndNamesOfAnyLength() throws Exception {
    String digits = "9".repeat(2_000_000);
    String name = "n".repeat(2_000_000);
    String id = "i".repeat(21_000_000);

    Message message =
        MessageJson.read(
            "{\"%s\":%s,\"f\":%s.%se%s,\"id\":\"%s\"}"
                .formatted(name, digits, digits, digits, digits, id));

    assertThat(message.id()).hasSize(21_000_000);
  }

  @Test
  void takesNamesMadeToCollideInAHashTable() throws Exception {
    StringBuilder payload = new StringBuilder("{\"id\":\"x\"");
    for (int i = 0; i < 1 << 12; i++) {
      payload.append(",\"");
      for (int bit = 0; bit < 12; bit++) {
        payload.append((i >> bit & 1) == 0 ? "Aa" : "BB");
      }
      payload.append("\":0");
    }

    assertThat(MessageJson.read(payload.append('}').toString()).id()).isEqualTo("x");
  }

  @Test
  void spacesMayStandAnywhereBetweenTokens() throws Exception {
    assertThat(MessageJson.read(" \t\r\n{ \t\r\n\"id\" \t\r\n: \t\r\n\"x\" \t\r\n} \t\r\n").id())
        .isEqualTo("x");
  }

  // Reading: what is malformed

  @ParameterizedTest
  @ValueSource(
      strings = {
        "id",
        "poolCode",
        "authToken",
        "signingSecret",
        "mediationType",
        "mediationTarget",
        "messageGroupId",
        "dispatchMode"
      })
  void aStringFieldTakesNoOtherType(String field) {
    assertMalformed("{\"%s\":5}".formatted(field), field + " is a number instead of a string");
    assertMalformed("{\"%s\":0.5}".formatted(field), field + " is a number instead of a string");
    assertMalformed("{\"%s\":true}".formatted(field), field + " is a boolean instead of a string");
    assertMalformed("{\"%s\":[]}".formatted(field), field + " is an array instead of a string");
    assertMalformed("{\"%s\":{}}".formatted(field), field + " is an object instead of a string");
  }

  @Test
  void aBooleanFieldTakesNoOtherType() {
    assertMalformed("{\"highPriority\":1}", "highPriority is a number instead of a boolean");
    assertMalformed("{\"highPriority\":\"true\"}", "highPriority is a string instead of a boolean");
    assertMalformed("{\"highPriority\":[]}", "highPriority is an array instead of a boolean");
    assertMalformed("{\"highPriority\":{}}", "highPriority is an object instead of a boolean");
  }

  @Test
  void aWrongTypeIsMalformedEvenWhenALaterDuplicateIsRight() {
    assertMalformed("{\"id\":5,\"id\":\"x\"}", "id is a number instead of a string");
  }

  @Test
  void onlyAnObjectIsAMessage() {
    assertMalformed("null", "the payload is null instead of an object");
    assertMalformed("[]", "the payload is an array instead of an object");
    assertMalformed("\"x\"", "the payload is a string instead of an object");
    assertMalformed("1", "the payload is a number instead of an object");
    assertMalformed("false", "the payload is a boolean instead of an object");
    assertMalformed("", "the payload is empty instead of an object");
    assertMalformed(" \n", "the payload is empty instead of an object");
  }

  @ParameterizedTest
  @ValueSource(strings = {"{}", "null", "1", "\"x\"", "[]", "x", ",", "}", "\u0000", "\ufeff"})
  void nothingMayFollowTheObject(String more) {
    assertThatThrownBy(() -> MessageJson.read("{\"id\":\"x\"}" + more))
        .isInstanceOf(MalformedMessageException.class);
    assertThatThrownBy(() -> MessageJson.read("{\"id\":\"x\"}\n" + more))
        .isInstanceOf(MalformedMessageException.class);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{",
        "{\"id\"",
        "{\"id\":",
        "{\"id\":\"x",
        "{\"id\":\"x\"",
        "{\"id\":\"x\",}",
        "{,}",
        "{\"a\":1,,\"b\":2}",
        "{\"a\" 1}",
        "{\"a\":1 \"b\":2}",
        "{\"a\":[1,]}",
        "{\"a\":[1}}",
        "{a:1}",
        "{'a':1}",
        "{\"a\":'x'}",
        "{1:1}",
        "{\"a\":1}/* x */",
        "{\"a\":1 // x\n}",
        "{\"a\":1 # x\n}",
        "{\"a\":01}",
        "{\"a\":-01}",
        "{\"a\":-}",
        "{\"a\":+1}",
        "{\"a\":.5}",
        "{\"a\":5.}",
        "{\"a\":1e}",
        "{\"a\":1e+}",
        "{\"a\":0x1}",
        "{\"a\":1_000}",
        "{\"a\":NaN}",
        "{\"a\":Infinity}",
        "{\"a\":-Infinity}",
        "{\"a\":True}",
        "{\"a\":tru}",
        "{\"a\":truex}",
        "{\"a\":nulls}",
        "{\"a\":\"\t\"}",
        "{\"a\":\"\n\"}",
        "{\"a\":\"\u0000\"}",
        "{\"a\":\"\u001f\"}",
        "{\"\t\":1}",
        "{\"a\":\"\\'\"}",
        "{\"a\":\"\\a\"}",
        "{\"a\":\"\\v\"}",
        "{\"a\":\"\\0\"}",
        "{\"a\":\"\\x41\"}",
        "{\"a\":\"\\U0041\"}",
        "{\"a\":\"\\u004\"}",
        "{\"a\":\"\\u00g1\"}",
        "{\"a\":\"\\u004\uff11\"}",
        "{\"a\":\"\\u004\u0131\"}",
        "{\"a\":\"\\ud83\"}",
        "{\"a\":\"\\ud83d\\u\"}",
        "{\"a\":\\ud800}",
        "{\"a\":\"\\\"}",
        "\ufeff{}",
        "{\u00a0}",
        "{\u2028}",
        "{\u000b}",
        "{\f}",
        "\u0000{}",
        "\u001e{}"
      })
  void badSyntaxIsMalformed(String payload) {
    assertThatThrownBy(() -> MessageJson.read(payload))
        .isInstanceOf(MalformedMessageException.class);
  }

  @Test
  void badSyntaxIsNamedByItsPlace() {
    assertMalformed("{\"id\":\"x\",\n \"note\":?}", "the payload is not JSON (line 2, column 9)");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "hunter2",
        "{\"authToken\":hunter2}",
        "{\"authToken\":\"hunter2",
        "{\"authToken\":{\"hunter2\":1}}",
        "{\"hunter2\" hunter2}",
        "{\"id\":\"x\"}hunter2"
      })
  void theReasonQuotesNothing(String payload) {
    assertThatThrownBy(() -> MessageJson.read(payload))
        .isInstanceOf(MalformedMessageException.class)
        .hasNoCause()
        .hasMessageNotContaining("hunter2");
  }

  @Test
  void refusesTheMalformedRowsOfTheFixtureAndNoOthers() throws IOException {
    int malformed = 0;
    for (String line : Files.readAllLines(Path.of("fixtures", "queue-messages.jsonl"))) {
      try {
        MessageJson.read(new ObjectMapper().readTree(line).get("payload").textValue());
      } catch (MalformedMessageException e) {
        malformed++;
      }
    }

    assertThat(malformed).isEqualTo(84 + 1); // those of the main queue, and one of the other
  }

  private static void assertMalformed(String payload, String reason) {
    assertThatThrownBy(() -> MessageJson.read(payload))
        .isInstanceOf(MalformedMessageException.class)
        .hasMessage(reason);
  }

  private static Message idOnly(String id) {
    return new Message(id, "", null, null, "", "", null, false, "");
  }

  static List<JsonNode> messageVectors() throws IOException {
    return vectors("message-json.json");
  }

  static List<JsonNode> signatureVectors() throws IOException {
    return vectors("signature.json");
  }

  static Object[][] loneSurrogates() {
    return new Object[][] {
      {"\\ud800", "\ufffd"},
      {"\\uDFFF", "\ufffd"},
      {"\\ud800x\\udc00", "\ufffdx\ufffd"},
      {"\\ud800\\n", "\ufffd\n"},
      {"\\udc00\\ud800", "\ufffd\ufffd"},
      {"\\ud83d\\ud83d\\ude00", "\ufffd\ud83d\ude00"},
      {"\\ud83d\\ude00\\ude00", "\ud83d\ude00\ufffd"},
      {"\\\\ud800", "\\ud800"},
      {"\\\\\\ud800", "\\\ufffd"},
      {"\ud800", "\ufffd"},
      {"\ud800\ud83d\ude00\udc00", "\ufffd\ud83d\ude00\ufffd"},
      {"\\ud83d\ude00", "\ufffd\ufffd"},
      {"\ud83d" + "\\ude00", "\ufffd\ufffd"},
    };
  }

  private static List<JsonNode> vectors(String file) throws IOException {
    List<JsonNode> vectors = new ArrayList<>();
    new ObjectMapper().readTree(VECTORS.resolve(file).toFile()).forEach(vectors::add);
    return vectors;
  }

  private static Message message(JsonNode fields) {
    return new Message(
        fields.path("id").textValue(),
        fields.path("poolCode").asText(),
        fields.path("authToken").textValue(),
        fields.path("signingSecret").textValue(),
        fields.path("mediationType").asText("HTTP"),
        fields.path("mediationTarget").asText("https://t.example/hook"),
        fields.path("messageGroupId").textValue(),
        fields.path("highPriority").asBoolean(),
        fields.path("dispatchMode").asText());
  }

  @Provide
  Arbitrary<Message> messages() {
    Arbitrary<String> text =
        Arbitraries.strings().all().ofMaxLength(20).map(MessageJsonTest::withReplacedSurrogates);
    Arbitrary<String> pointer = text.injectNull(0.3);
    return Combinators.combine(
            text, text, pointer, pointer, text, text, pointer, Arbitraries.of(true, false))
        .flatAs(
            (id, pool, token, secret, type, target, group, priority) ->
                text.map(
                    mode ->
                        new Message(id, pool, token, secret, type, target, group, priority, mode)));
  }

  private static String withReplacedSurrogates(String text) {
    StringBuilder clean = new StringBuilder();
    text.codePoints()
        .map(c -> c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE ? 0xfffd : c)
        .forEach(clean::appendCodePoint);
    return clean.toString();
  }
}
