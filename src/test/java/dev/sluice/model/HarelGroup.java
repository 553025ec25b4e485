package dev.sluice.model;

import org.jspecify.annotations.Nullable;

/**
 * A row of {@code transport_groups}.
 *
 * @param lockedBy the token of the claim that holds or held it, null if it was freed
 * @param lockExpiry when that claim lapses, or when the group was last served, in epoch seconds
 */
public record HarelGroup(
    String group, @Nullable String lockedBy, @Nullable Double lockExpiry, int priority) {

  HarelGroup with(@Nullable String token, @Nullable Double expiry) {
    return new HarelGroup(group, token, expiry, priority);
  }

  /** When it was last served; never is zero. */
  double served() {
    return lockExpiry == null ? 0 : lockExpiry;
  }

  boolean claimable(double now) {
    return lockedBy == null || (lockExpiry != null && lockExpiry < now);
  }

  boolean heldBy(String token) {
    return token.equals(lockedBy);
  }
}
