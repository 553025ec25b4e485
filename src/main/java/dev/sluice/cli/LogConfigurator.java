package dev.sluice.cli;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.Configurator;
import ch.qos.logback.core.spi.ContextAwareBase;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * Sets up logging without a file, which would cost a start a parser: one line per event on stderr.
 * FC_LOG_LEVEL and FC_LOG_FORMAT are the Go router's. Steps aside where nobody took the console, so
 * that tests and embedders keep their own set-up.
 */
public final class LogConfigurator extends ContextAwareBase implements Configurator {
  private static final AtomicReference<@Nullable Console> CONSOLE = new AtomicReference<>();

  /** The driver logs elsewhere, and with its URL; what it has to say comes as exceptions too. */
  private static final java.util.logging.Logger DRIVER =
      java.util.logging.Logger.getLogger("org.postgresql");

  /** Has what is logged from now on go to this console. */
  static void take(Console console) {
    DRIVER.setLevel(java.util.logging.Level.OFF);
    CONSOLE.set(console);
  }

  /** Has nothing logged below this level by us, unless FC_LOG_LEVEL says otherwise. */
  static void defaultLevel(Console console, Level level) {
    if (CONSOLE.get() != null && console.environment("FC_LOG_LEVEL").isEmpty()) {
      ((Logger) LoggerFactory.getLogger("dev.sluice")).setLevel(level);
    }
  }

  @Override
  public ExecutionStatus configure(LoggerContext context) {
    Console console = CONSOLE.get();
    if (console == null) {
      return ExecutionStatus.INVOKE_NEXT_IF_ANY;
    }
    boolean json = "json".equalsIgnoreCase(console.environment("FC_LOG_FORMAT").orElse(""));
    LogAppender appender = new LogAppender(console, json);
    appender.setContext(context);
    appender.start();
    Level ours = level(console.environment("FC_LOG_LEVEL"));
    Logger root = context.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
    // What libraries say below a warning is for those who debug them.
    root.setLevel(ours.isGreaterOrEqual(Level.WARN) || ours == Level.TRACE ? ours : Level.WARN);
    root.addAppender(appender);
    context.getLogger("dev.sluice").setLevel(ours);
    return ExecutionStatus.DO_NOT_INVOKE_NEXT_IF_ANY;
  }

  private static Level level(Optional<String> name) {
    return switch (name.orElse("info").strip().toLowerCase(Locale.ROOT)) {
      case "trace" -> Level.TRACE;
      case "debug" -> Level.DEBUG;
      case "warn", "warning" -> Level.WARN;
      case "error", "fatal" -> Level.ERROR;
      case "off" -> Level.OFF;
      default -> Level.INFO;
    };
  }
}
