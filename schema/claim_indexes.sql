-- What keeps claims fast as the backlog grows; additive, dropped again by `schema drop-indexes`.
-- Each begins with another hash of the queue: shorter than its name, of any length, and no statement
-- can use an index that was not made for it; "+ 0" is for the same purpose, on a table so small that
-- all indexes seem equally good. Readers compare the names as well.
-- Those with an id in their key leave out rows whose id is near the size limit of an index entry, so
-- that no insert that worked without them fails with them; sluice_claim_oversized finds those rows, of
-- which there are none as a rule: a queue that holds one is polled the slow way.
-- A row that is published enters the first and the third; one that is claimed leaves them, and enters
-- the second, the fourth and the fifth.

-- The oldest rows that nobody has had yet.
CREATE INDEX CONCURRENTLY IF NOT EXISTS sluice_claim_fresh
  ON queue_messages (hashtextextended(queue_name COLLATE "C", 1), (created_at + 0), id)
  WHERE receipt_handle IS NULL AND visible_at <= created_at AND octet_length(id) <= 2000;

-- What was claimed, handed back or published for later, by the time at which it can be claimed.
CREATE INDEX CONCURRENTLY IF NOT EXISTS sluice_claim_late
  ON queue_messages (hashtextextended(queue_name COLLATE "C", 2), (visible_at + 0), id)
  WHERE (receipt_handle IS NOT NULL OR visible_at > created_at) AND octet_length(id) <= 2000;

-- What nobody holds of each group.
CREATE INDEX CONCURRENTLY IF NOT EXISTS sluice_claim_idle
  ON queue_messages
     (hashtextextended(queue_name COLLATE "C", 3), hashtextextended(COALESCE(message_group_id, id), 0),
      created_at, id)
  WHERE receipt_handle IS NULL AND octet_length(id) <= 2000;

-- What was claimed of each group: in order, and by the time at which the claim lapses.
CREATE INDEX CONCURRENTLY IF NOT EXISTS sluice_claim_taken
  ON queue_messages
     (hashtextextended(queue_name COLLATE "C", 4), hashtextextended(COALESCE(message_group_id, id), 0),
      created_at, id)
  WHERE receipt_handle IS NOT NULL AND octet_length(id) <= 2000;

CREATE INDEX CONCURRENTLY IF NOT EXISTS sluice_claim_lapse
  ON queue_messages
     (hashtextextended(queue_name COLLATE "C", 5), hashtextextended(COALESCE(message_group_id, id), 0),
      visible_at)
  WHERE receipt_handle IS NOT NULL;

-- What was handed back or published for later of each group: few, where a group has had very many.
CREATE INDEX CONCURRENTLY IF NOT EXISTS sluice_claim_returned
  ON queue_messages
     (hashtextextended(queue_name COLLATE "C", 6), hashtextextended(COALESCE(message_group_id, id), 0),
      created_at, id)
  WHERE receipt_handle IS NULL AND visible_at > created_at AND octet_length(id) <= 2000;

CREATE INDEX CONCURRENTLY IF NOT EXISTS sluice_claim_oversized
  ON queue_messages (created_at)
  WHERE octet_length(id) > 2000;

-- Quarantined rows that hold back their groups, for tables that were made without it.
CREATE INDEX CONCURRENTLY IF NOT EXISTS sluice_blocked_groups ON queue_messages_failed
  (hashtextextended(COALESCE(message_group_id, id), hashtextextended(queue_name COLLATE "C", 0)))
  WHERE starts_with(error_message, 'BLOCKED: ');
