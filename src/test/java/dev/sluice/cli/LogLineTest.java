package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import org.junit.jupiter.api.Test;

class LogLineTest {

  @Test
  void pairsAreTakenOutOfTheText() {
    LogLine line = LogLine.parse("malformed messages quarantined queue=orders count=3");

    assertThat(line.text()).isEqualTo("malformed messages quarantined");
    assertThat(line.fields()).containsExactly(entry("queue", "orders"), entry("count", "3"));
  }

  @Test
  void aQuotedValueMayHoldBlanksAndQuotes() {
    LogLine line = LogLine.parse("event=released reason=\"said \\\"no\\\" a=b\" group=\"\"");

    assertThat(line.text()).isEmpty();
    assertThat(line.fields())
        .containsExactly(
            entry("event", "released"), entry("reason", "said \"no\" a=b"), entry("group", ""));
  }

  @Test
  void plainTextHasNoPairs() {
    assertThat(LogLine.parse("two=three words, x == y").text()).isEqualTo("words, x == y");
  }

  @Test
  void valuesAreQuotedWhereTheyCouldEndEarly() {
    assertThat(LogLine.quoted("orders")).isEqualTo("orders");
    assertThat(LogLine.quoted("")).isEqualTo("\"\"");
    assertThat(LogLine.quoted("a b")).isEqualTo("\"a b\"");
    assertThat(LogLine.quoted("say \"x\"\nlevel=ERROR"))
        .isEqualTo("\"say \\\"x\\\"\\u000alevel=ERROR\"");
  }
}
