package dev.sluice.model;

import org.jspecify.annotations.Nullable;

/**
 * A row of {@code queue_messages_failed}.
 *
 * @param error null where any text will do
 */
public record FailedRow(
    String queue,
    String id,
    @Nullable String group,
    String payload,
    @Nullable String error,
    @Nullable Integer receives,
    long createdAt,
    long failedAt) {

  /** The same row, whatever its error says. */
  public FailedRow withAnyError() {
    return new FailedRow(queue, id, group, payload, null, receives, createdAt, failedAt);
  }
}
