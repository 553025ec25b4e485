package dev.sluice.cli;

import java.io.PrintWriter;
import java.io.StringWriter;

/** The stack trace of a failure, without passwords. */
final class StackTrace {
  private StackTrace() {}

  static String of(Throwable failure) {
    StringWriter text = new StringWriter();
    failure.printStackTrace(new PrintWriter(text));
    return Printable.withoutPasswords(text.toString());
  }
}
