package dev.sluice.compat;

import net.jqwik.api.lifecycle.LifecycleContext;
import net.jqwik.api.lifecycle.SkipExecutionHook;

/** For properties, which an assumption would not skip but exhaust. */
final class SkippedWithoutGo implements SkipExecutionHook {
  @Override
  public SkipResult shouldBeSkipped(LifecycleContext context) {
    return GoProgram.isThere() ? SkipResult.doNotSkip() : SkipResult.skip(GoProgram.MISSING);
  }
}
