package dev.sluice.queue.harel.interleave;

import org.jspecify.annotations.Nullable;

/** A row of the groups table. */
record Group(String id, @Nullable String lockedBy, @Nullable Double lockExpiry) {
  boolean isHeldAt(double now) {
    return lockedBy != null && lockExpiry != null && lockExpiry > now;
  }
}
