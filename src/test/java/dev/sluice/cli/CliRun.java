package dev.sluice.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * One call of the program, in this process.
 *
 * @param exitCode what it ended with
 * @param out what it printed
 * @param err what it said
 */
record CliRun(int exitCode, String out, String err) {

  /** The program in an environment of its own. */
  static final class Shell {
    private final Map<String, String> environment = new LinkedHashMap<>();
    private String input = "";
    private Console.Terminal terminal = Console.Terminal.NONE;

    Shell with(String variable, String value) {
      environment.put(variable, value);
      return this;
    }

    Shell typing(String text) {
      input = text;
      return this;
    }

    Shell onATerminal() {
      terminal = new Console.Terminal(true, true, true);
      return this;
    }

    CliRun run(String... arguments) {
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      ByteArrayOutputStream err = new ByteArrayOutputStream();
      Console console =
          new Console(
              new ByteArrayInputStream(input.getBytes(StandardCharsets.UTF_8)),
              out,
              err,
              terminal,
              environment);
      int exitCode = new Cli(console).run(arguments);
      return new CliRun(
          exitCode, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
    }
  }

  static CliRun sluice(String... arguments) {
    return new Shell().run(arguments);
  }

  JsonNode json() {
    try {
      return new ObjectMapper().readTree(out);
    } catch (IOException e) {
      throw new AssertionError("no JSON: " + out, e);
    }
  }

  List<String> keys() {
    return keys(json());
  }

  static List<String> keys(JsonNode object) {
    List<String> names = new java.util.ArrayList<>();
    object.fieldNames().forEachRemaining(names::add);
    return names;
  }

  /** The lines of what it said. */
  List<String> errorLines() {
    return err.lines().toList();
  }
}
