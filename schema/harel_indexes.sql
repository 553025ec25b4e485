-- What keeps claims flat as the number of groups grows; additive, dropped again by `schema drop-indexes`.
-- A group's head. The Python package creates it with the table; here for tables that lack it.
CREATE INDEX CONCURRENTLY IF NOT EXISTS {messages_index}
  ON {messages} (group_id, seq);

-- The order of claims. The Python package creates it itself, by this name, from 0.8 on.
CREATE INDEX CONCURRENTLY IF NOT EXISTS {order_index}
  ON {groups} ((COALESCE(lock_expiry, 0)), group_id);

-- Groups that a worker freed whose clock is ahead of the database's, found without a walk over all leases.
CREATE INDEX CONCURRENTLY IF NOT EXISTS {own}transport_groups_sluice_free
  ON {groups} (lock_expiry, group_id)
  WHERE locked_by IS NULL AND lock_expiry IS NOT NULL;

-- The order of claims that ask for a priority; groups of priority 0 are in none of them.
CREATE INDEX CONCURRENTLY IF NOT EXISTS {own}transport_groups_sluice_p1
  ON {groups} ((COALESCE(lock_expiry, 0)), group_id) WHERE priority >= 1;

CREATE INDEX CONCURRENTLY IF NOT EXISTS {own}transport_groups_sluice_p2
  ON {groups} ((COALESCE(lock_expiry, 0)), group_id) WHERE priority >= 2;

CREATE INDEX CONCURRENTLY IF NOT EXISTS {own}transport_groups_sluice_p3
  ON {groups} ((COALESCE(lock_expiry, 0)), group_id) WHERE priority >= 3;

CREATE INDEX CONCURRENTLY IF NOT EXISTS {own}transport_groups_sluice_p4
  ON {groups} ((COALESCE(lock_expiry, 0)), group_id) WHERE priority >= 4;

-- Quarantined rows that hold back their groups, for tables that were made without it.
CREATE INDEX CONCURRENTLY IF NOT EXISTS {blocked_index} ON {failed} (group_id)
  WHERE starts_with(error_message, 'BLOCKED: ');
