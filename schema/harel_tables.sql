-- The tables of the harel transport, as its Python package creates them.
CREATE TABLE IF NOT EXISTS {messages} (
  seq      BIGSERIAL PRIMARY KEY,
  group_id TEXT NOT NULL,
  event    TEXT NOT NULL
);

CREATE INDEX IF NOT EXISTS {messages_index} ON {messages} (group_id, seq);

CREATE TABLE IF NOT EXISTS {groups} (
  group_id    TEXT PRIMARY KEY,
  locked_by   TEXT,
  lock_expiry DOUBLE PRECISION,
  priority    INT NOT NULL DEFAULT 0
);

CREATE INDEX IF NOT EXISTS {groups_index} ON {groups} {groups_index_columns};
