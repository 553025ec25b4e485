package dev.sluice.cli;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * While something is done, the first SIGINT or SIGTERM asks for an end, and the second one ends the
 * process at once with 130. Thread-safe.
 */
final class Interrupts {
  private static final Logger log = LoggerFactory.getLogger(Interrupts.class);
  private static final List<String> SIGNALS = List.of("INT", "TERM");

  private final AtomicBoolean asked = new AtomicBoolean();
  private final Runnable end;
  private final List<AutoCloseable> handlers = new ArrayList<>();

  private Interrupts(Runnable end) {
    this.end = end;
  }

  /**
   * Has SIGHUP do this, for a service that is to read its configuration again, until closed.
   *
   * @param action runs on a thread of its own and may block
   */
  static AutoCloseable onHangup(Runnable action) {
    try {
      return handle("HUP", action);
    } catch (ReflectiveOperationException | IllegalArgumentException e) {
      log.debug("signal cannot be handled signal=HUP", e);
      return () -> {};
    }
  }

  /** Work whose end brings something. */
  @FunctionalInterface
  interface Work<T, E extends Exception> {
    T call() throws E;
  }

  /**
   * Listens while work is done.
   *
   * @param end what the first signal does; runs on a thread of its own and may block
   */
  static <T, E extends Exception> T during(Runnable end, Work<T, E> work) throws E {
    Interrupts interrupts = new Interrupts(end);
    interrupts.listen();
    try {
      return work.call();
    } finally {
      interrupts.close();
    }
  }

  /**
   * Opens something that may be waited for, for as long as no signal comes.
   *
   * @return what was opened; empty when a signal came first
   */
  static <T extends AutoCloseable> Optional<T> unlessAsked(Supplier<T> opening) {
    Thread waiting = Thread.currentThread();
    AtomicBoolean cut = new AtomicBoolean();
    try {
      T opened =
          during(
              () -> {
                cut.set(true);
                waiting.interrupt();
              },
              opening::get);
      if (!cut.get()) {
        return Optional.of(opened);
      }
      Object unused = Thread.interrupted();
      closeQuietly(opened);
      return Optional.empty();
    } catch (RuntimeException e) {
      if (!cut.get()) {
        throw e;
      }
      // Clears the flag: what comes after the wait is not meant.
      Object unused = Thread.interrupted();
      return Optional.empty();
    }
  }

  private static void closeQuietly(AutoCloseable opened) {
    try {
      opened.close();
    } catch (Exception e) {
      log.debug("closing failed", e);
    }
  }

  private void listen() {
    for (String signal : SIGNALS) {
      try {
        handlers.add(handle(signal, this::onSignal));
      } catch (ReflectiveOperationException | IllegalArgumentException e) {
        log.debug("signal cannot be handled signal={}", signal, e);
      }
    }
  }

  private void onSignal() {
    if (asked.compareAndSet(false, true)) {
      end.run();
    } else {
      Runtime.getRuntime().halt(ExitCode.INTERRUPTED);
    }
  }

  private void close() {
    for (AutoCloseable handler : handlers) {
      try {
        handler.close();
      } catch (Exception e) {
        log.debug("signal handler stays", e);
      }
    }
  }

  // By reflection: the class is in every JDK, but javac warns of it and cannot be told not to.
  private static AutoCloseable handle(String name, Runnable action)
      throws ReflectiveOperationException {
    Class<?> signalType = Class.forName("sun.misc.Signal");
    Class<?> handlerType = Class.forName("sun.misc.SignalHandler");
    Object handler =
        Proxy.newProxyInstance(
            Interrupts.class.getClassLoader(),
            new Class<?>[] {handlerType},
            (proxy, method, arguments) -> {
              if (method.getName().equals("handle")) {
                action.run();
              }
              return switch (method.getName()) {
                case "hashCode" -> System.identityHashCode(proxy);
                case "equals" -> arguments != null && proxy == arguments[0];
                case "toString" -> "SignalHandler of " + name;
                default -> null;
              };
            });
    Object signal = signalType.getConstructor(String.class).newInstance(name);
    var install = signalType.getMethod("handle", signalType, handlerType);
    try {
      Object before = install.invoke(null, signal, handler);
      return () -> install.invoke(null, signal, before);
    } catch (InvocationTargetException e) {
      throw new IllegalArgumentException(e.getCause());
    }
  }
}
