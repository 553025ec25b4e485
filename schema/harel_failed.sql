-- Quarantine of the harel transport: messages that cannot be delivered, with the reason. Ours.
CREATE TABLE IF NOT EXISTS {failed} (
  seq           BIGINT PRIMARY KEY,
  group_id      TEXT NOT NULL,
  event         TEXT NOT NULL,
  error_message TEXT NOT NULL,
  priority      INT,
  failed_at     BIGINT NOT NULL
);

-- Rows that hold back their groups, by group.
CREATE INDEX IF NOT EXISTS {blocked_index} ON {failed} (group_id)
  WHERE starts_with(error_message, 'BLOCKED: ');
