package dev.sluice.testing;

import net.jqwik.api.lifecycle.AroundPropertyHook;
import net.jqwik.api.lifecycle.PropagationMode;
import net.jqwik.api.lifecycle.PropertyAttributes;
import net.jqwik.api.lifecycle.PropertyExecutionResult;
import net.jqwik.api.lifecycle.PropertyExecutor;
import net.jqwik.api.lifecycle.PropertyLifecycleContext;

/**
 * Multiplies the tries of a property by {@code -Dsluice.test.scale=N}, for long campaigns: the
 * numbers in the source are for a run of seconds.
 */
public final class ScaledTries implements AroundPropertyHook {
  /** The factor; 1 in an ordinary run. */
  public static final int SCALE = Math.max(1, Integer.getInteger("sluice.test.scale", 1));

  @Override
  public PropertyExecutionResult aroundProperty(
      PropertyLifecycleContext context, PropertyExecutor property) {
    PropertyAttributes attributes = context.attributes();
    attributes.setTries(attributes.tries().orElse(1) * SCALE);
    return property.execute();
  }

  // From the class that it is written on to the properties in it.
  @Override
  public PropagationMode propagateTo() {
    return PropagationMode.ALL_DESCENDANTS;
  }

  // Outside of everything, so that the tries are counted afterwards.
  @Override
  public int aroundPropertyProximity() {
    return -100;
  }
}
