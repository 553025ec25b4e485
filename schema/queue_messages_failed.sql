-- Quarantine: messages that cannot be delivered, with the reason. Shared by name with the Go services.
CREATE TABLE IF NOT EXISTS queue_messages_failed (
  id               TEXT,
  queue_name       TEXT,
  message_group_id TEXT,
  payload          TEXT NOT NULL,
  error_message    TEXT NOT NULL,
  receive_count    INTEGER,
  created_at       BIGINT NOT NULL,
  failed_at        BIGINT NOT NULL,
  PRIMARY KEY (queue_name, id)
);

-- Rows that hold back their groups, by hash of queue and group: names may be too long for an index entry.
CREATE INDEX IF NOT EXISTS sluice_blocked_groups ON queue_messages_failed
  (hashtextextended(COALESCE(message_group_id, id), hashtextextended(queue_name, 0)))
  WHERE starts_with(error_message, 'BLOCKED: ');
