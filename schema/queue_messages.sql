-- The table that Go producers write, as the Go services create it.
CREATE TABLE IF NOT EXISTS queue_messages (
  id               TEXT NOT NULL,
  queue_name       TEXT NOT NULL,
  message_group_id TEXT,
  receipt_handle   TEXT,
  visible_at       BIGINT NOT NULL,
  payload          TEXT NOT NULL,
  created_at       BIGINT NOT NULL,
  receive_count    INTEGER DEFAULT 0,
  PRIMARY KEY (queue_name, id)
);

CREATE INDEX IF NOT EXISTS idx_queue_visible
  ON queue_messages (queue_name, visible_at, message_group_id);
