package dev.sluice.config;

import dev.sluice.router.LogText;
import dev.sluice.time.Time;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads a config anew when told to, and at intervals, and passes on what is different. One that
 * cannot be read, or is wrong, leaves the running one as it is, with one line in the log.
 *
 * <p>Safe for use by many threads; reads and passes on one config at a time.
 */
public final class ConfigWatch implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(ConfigWatch.class);

  private final Supplier<RouterConfig> load;
  private final Consumer<RouterConfig> apply;
  private final Executor executor;
  private final AtomicBoolean asked = new AtomicBoolean();
  private volatile boolean closed;

  /** Guarded by this. */
  private RouterConfig running;

  /**
   * @param load reads the config; may block
   * @param running the config to begin with
   * @param apply takes a different config; may block
   * @param executor where both are called
   */
  public ConfigWatch(
      Supplier<RouterConfig> load,
      RouterConfig running,
      Consumer<RouterConfig> apply,
      Executor executor) {
    this.load = load;
    this.running = running;
    this.apply = apply;
    this.executor = executor;
  }

  /** Reads the config at this interval from now on, measured from the end of one reading. */
  public void every(Duration interval, Time time) {
    time.after(
        interval,
        () -> {
          if (!closed) {
            executor.execute(
                () -> {
                  reloadNow();
                  every(interval, time);
                });
          }
        });
  }

  /** Reads the config anew, soon. Asked for several times before it begins, it is read once. */
  public void reload() {
    if (!closed && asked.compareAndSet(false, true)) {
      executor.execute(
          () -> {
            asked.set(false);
            reloadNow();
          });
    }
  }

  private synchronized void reloadNow() {
    if (closed) {
      return;
    }
    try {
      RouterConfig next = load.get();
      if (next.equals(running)) {
        log.debug("event=config_unchanged");
        return;
      }
      apply.accept(next);
      running = next;
      log.info(
          "event=config_changed pools={} queues={}", next.pools().size(), next.queues().size());
    } catch (ConfigException e) {
      log.warn("event=config_kept reason={}", LogText.value(String.valueOf(e.getMessage())));
    } catch (RuntimeException e) {
      log.error("event=config_kept reason={}", e.getClass().getName(), e);
    }
  }

  /** Reads no more; what is being read is still passed on. */
  @Override
  public void close() {
    closed = true;
  }
}
