package dev.sluice.model;

import org.jspecify.annotations.Nullable;

/**
 * A row of {@code queue_messages} as it stands in the table.
 *
 * @param visibleAt unix seconds
 * @param createdAt unix seconds
 * @param receives NULL in some old rows
 */
public record LegacyRow(
    String queue,
    String id,
    @Nullable String group,
    @Nullable String receipt,
    long visibleAt,
    String payload,
    long createdAt,
    @Nullable Integer receives) {

  /** A payload that every reader takes. The column, not this id, identifies the row. */
  public static final String WELL_FORMED =
      "{\"id\":\"p\",\"mediationType\":\"HTTP\",\"mediationTarget\":\"https://t.example/hook\"}";

  /** {@code COALESCE(message_group_id, id)}. */
  public String claimGroup() {
    return group == null ? id : group;
  }

  /** Whether its time has come, claimed before or not. */
  public boolean visible(long now) {
    return visibleAt <= now;
  }

  /** Whether a claim on it has not lapsed. */
  public boolean inFlight(long now) {
    return receipt != null && visibleAt > now;
  }

  /** The same row in other hands. */
  LegacyRow with(@Nullable String newReceipt, long newVisibleAt, @Nullable Integer newReceives) {
    return new LegacyRow(
        queue, id, group, newReceipt, newVisibleAt, payload, createdAt, newReceives);
  }

  /** The same row, not dated back further than this. */
  public LegacyRow notBefore(long time) {
    return new LegacyRow(
        queue,
        id,
        group,
        receipt,
        Math.max(time, visibleAt),
        payload,
        Math.max(time, createdAt),
        receives);
  }

  /** The same row with another receipt. */
  public LegacyRow withReceipt(@Nullable String newReceipt) {
    return with(newReceipt, visibleAt, receives);
  }
}
