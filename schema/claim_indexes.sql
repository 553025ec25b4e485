-- What keeps claims fast as the backlog grows; additive, dropped again by `schema drop-indexes`.
-- The first two leave out rows whose key is near the size limit of an index entry, so that no insert
-- that worked without them fails with them; the third finds those rows, of which there are none as a
-- rule: a queue that holds one is polled the slow way.
CREATE INDEX CONCURRENTLY IF NOT EXISTS sluice_claim_order
  ON queue_messages (queue_name, created_at, id)
  WHERE octet_length(queue_name) + octet_length(id) <= 2000;

-- The group by its hash: a group name may be too long for an index entry, and half of an insert's
-- price is the length of the key. Every reader compares the name as well.
CREATE INDEX CONCURRENTLY IF NOT EXISTS sluice_claim_group
  ON queue_messages
     (queue_name, hashtextextended(COALESCE(message_group_id, id), 0), created_at, id)
  WHERE octet_length(queue_name) + octet_length(id) <= 2000;

CREATE INDEX CONCURRENTLY IF NOT EXISTS sluice_claim_long
  ON queue_messages (created_at)
  WHERE octet_length(queue_name) + octet_length(id) > 2000;

-- What is in flight in a group, for exclusive groups: claimed rows only, so publishing pays nothing.
CREATE INDEX CONCURRENTLY IF NOT EXISTS sluice_claim_held
  ON queue_messages
     (hashtextextended(COALESCE(message_group_id, id), hashtextextended(queue_name, 0)))
  WHERE receipt_handle IS NOT NULL;

-- Quarantined rows that hold back their groups, for tables that were made without it.
CREATE INDEX CONCURRENTLY IF NOT EXISTS sluice_blocked_groups ON queue_messages_failed
  (hashtextextended(COALESCE(message_group_id, id), hashtextextended(queue_name, 0)))
  WHERE starts_with(error_message, 'BLOCKED: ');
