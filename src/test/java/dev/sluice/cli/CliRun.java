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
public record CliRun(int exitCode, String out, String err) {

  /** The program in an environment of its own. */
  public static final class Shell {
    // Tests run side by side: the port that a router listens on by default is one.
    private final Map<String, String> environment =
        new LinkedHashMap<>(Map.of("SLUICE_HTTP", "off"));
    private String input = "";
    private Console.Terminal terminal = Console.Terminal.NONE;

    /** With this variable set. */
    public Shell with(String variable, String value) {
      environment.put(variable, value);
      return this;
    }

    /** With this text on its standard input. */
    public Shell typing(String text) {
      input = text;
      return this;
    }

    /** With a terminal on both ends. */
    public Shell onATerminal() {
      terminal = new Console.Terminal(true, true, true);
      return this;
    }

    /** Runs the program to its end. */
    public CliRun run(String... arguments) {
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

  /** Runs the program in an environment that says nothing. */
  public static CliRun sluice(String... arguments) {
    return new Shell().run(arguments);
  }

  /** What it printed, as JSON. */
  public JsonNode json() {
    try {
      return new ObjectMapper().readTree(out);
    } catch (IOException e) {
      throw new AssertionError("no JSON: " + out, e);
    }
  }

  /** The keys of the JSON that it printed, in their order. */
  public List<String> keys() {
    return keys(json());
  }

  static List<String> keys(JsonNode object) {
    List<String> names = new java.util.ArrayList<>();
    object.fieldNames().forEachRemaining(names::add);
    return names;
  }

  /** The lines of what it said. */
  public List<String> errorLines() {
    return err.lines().toList();
  }
}
