package dev.sluice.cli;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Locale;

/** Asks the person at the terminal. */
final class Question {
  private final Console console;

  Question(Console console) {
    this.console = console;
  }

  /**
   * Whether the answer is yes.
   *
   * @throws CommandException if nobody is there to answer
   */
  boolean ask(String question) {
    if (!console.terminal().in()) {
      throw CommandException.usage(question + " There is no terminal to answer on; add --yes");
    }
    console.err().print(Printable.line(question) + " [y/N] ");
    console.err().flush();
    String answer = readLine(console.in()).strip().toLowerCase(Locale.ROOT);
    return answer.equals("y") || answer.equals("yes");
  }

  private static String readLine(InputStream in) {
    StringBuilder line = new StringBuilder();
    try {
      for (int c = in.read(); c >= 0 && c != '\n'; c = in.read()) {
        line.append((char) c);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return line.toString();
  }
}
