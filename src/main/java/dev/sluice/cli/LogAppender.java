package dev.sluice.cli;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.core.AppenderBase;
import java.time.temporal.ChronoUnit;
import java.util.Set;
import org.slf4j.event.KeyValuePair;

/** Writes each event as one line, key=value or JSON; of a failure its class and first line. */
final class LogAppender extends AppenderBase<ILoggingEvent> {
  /** Values of these are names, whatever they look like. */
  private static final Set<String> NAMES = Set.of("id", "group", "queue", "pool", "target");

  private final Console console;
  private final boolean json;

  LogAppender(Console console, boolean json) {
    this.console = console;
    this.json = json;
  }

  @Override
  protected void append(ILoggingEvent event) {
    LogLine line = LogLine.parse(Printable.withoutPasswords(event.getFormattedMessage()));
    if (event.getKeyValuePairs() != null) {
      for (KeyValuePair pair : event.getKeyValuePairs()) {
        line.fields().put(pair.key, String.valueOf(pair.value));
      }
    }
    IThrowableProxy failure = event.getThrowableProxy();
    if (failure != null) {
      line.fields().put("error", describe(failure));
    }
    console.message(json ? json(event, line) : text(event, line));
  }

  // A database's message can go on to quote a row: its first line is all that is ours to print.
  private static String describe(IThrowableProxy failure) {
    String message = failure.getMessage();
    String first = message == null ? "" : message.lines().findFirst().orElse("");
    return failure.getClassName() + ": " + Printable.withoutPasswords(first);
  }

  private static String text(ILoggingEvent event, LogLine line) {
    StringBuilder text = new StringBuilder(160);
    text.append("time=").append(time(event)).append(" level=").append(level(event));
    if (!line.text().isEmpty()) {
      text.append(" msg=").append(LogLine.quoted(line.text()));
    }
    line.fields()
        .forEach(
            (key, value) -> text.append(' ').append(key).append('=').append(LogLine.quoted(value)));
    return text.toString();
  }

  private static String json(ILoggingEvent event, LogLine line) {
    return JsonDocument.text(
        json -> {
          json.field("time", time(event)).field("level", level(event));
          if (!line.text().isEmpty()) {
            json.field("msg", line.text());
          }
          line.fields().forEach((key, value) -> field(json, key, value));
        });
  }

  private static void field(JsonDocument json, String key, String value) {
    if (!NAMES.contains(key) && value.matches("-?(0|[1-9]\\d{0,17})")) {
      json.field(key, Long.parseLong(value));
    } else {
      json.field(key, value);
    }
  }

  private static String time(ILoggingEvent event) {
    return event.getInstant().truncatedTo(ChronoUnit.MILLIS).toString();
  }

  private static String level(ILoggingEvent event) {
    return event.getLevel().levelStr;
  }
}
