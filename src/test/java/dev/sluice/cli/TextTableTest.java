package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class TextTableTest {

  @Test
  void columnsAreAsWideAsWhatStandsInThem() {
    TextTable table = new TextTable("NAME", ">COUNT");
    table.row("a longer name", 1);
    table.row("ü", "12,345");
    ByteArrayOutputStream out = new ByteArrayOutputStream();

    table.print(new PrintStream(out, true, StandardCharsets.UTF_8));

    assertThat(out.toString(StandardCharsets.UTF_8).lines())
        .containsExactly("NAME            COUNT", "a longer name       1", "ü              12,345");
  }
}
