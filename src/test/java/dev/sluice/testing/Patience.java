package dev.sluice.testing;

import java.time.Duration;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;

/**
 * How long tests wait for what must come, of which there is no saying when on a machine that is
 * slow, busy or stands still for a while. It costs nothing where it comes.
 */
public final class Patience {
  /** The longest time that anything may take that is not to be measured. */
  public static final Duration LONGEST = Duration.ofMinutes(2);

  private Patience() {}

  /** As {@link Awaitility#await()}, for as long as {@link #LONGEST}. */
  public static ConditionFactory await() {
    return Awaitility.await().atMost(LONGEST);
  }
}
