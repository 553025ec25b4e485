-- Our own functions on the harel tables. Python workers replace {claim} and {ack} at their start and
-- never these. A function whose behaviour changes gets a new number, so that routers of two versions
-- work side by side.
--
-- Who locks what, so that no message is left in a group without a row:
--   publish  holds the group's row FOR KEY SHARE, or inserts it, before it inserts the message;
--   ack      deletes a row only after FOR UPDATE, which no publisher inside lets it have, and after a
--            look begun later than that lock;
--   claim    locks FOR NO KEY UPDATE, which lets publishers in, and drops an empty row as ack does.
-- A row lock alone does not keep a publisher's group: PostgreSQL (15 tried) can lose a FOR KEY SHARE
-- taken in the moment in which an update moves the row to another page. So a publisher also holds shared
-- one of 256 advisory locks, that of its group, and a row is only deleted under the same lock, tried for
-- and never waited for. Two groups that share a lock cost no more than an empty row that is left to a later
-- claim.
-- Statements of one function see what was committed when each of them began, not when the function
-- began: every second look is a statement of its own. Rows are locked in the order of their groups
-- wherever a statement waits for them. The line "step" marks where tests stop a session.
--
-- Python workers ask for their indexes at their start, that of the messages first, and thereby lock both
-- tables against writers, in this order until they commit: whoever writes to both has to begin with the
-- messages, too.
--
-- The planner is held to the indexes: a plan is kept for the life of a session, which may have begun
-- when the tables were empty. Without the claim indexes a claim's plan counts as costly for what it was
-- forbidden, and compiling it each time takes far longer than running it: hence jit off.

-- Which of the advisory locks is that of a group; the locks of a deployment are named by its groups table.
CREATE OR REPLACE FUNCTION {own}sluice_lock_v1(p_group text)
RETURNS int
LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$
  SELECT hashtext(p_group) & 255
$$;

-- Of groups that are locked FOR UPDATE and have no messages, those that no publisher is in, by its advisory
-- lock; the caller looks for messages once more.
CREATE OR REPLACE FUNCTION {own}sluice_unpublished_v1(p_groups text[])
RETURNS text[]
LANGUAGE plpgsql
AS $$
BEGIN
  RETURN ARRAY(
    SELECT p.group_id FROM unnest(p_groups) AS p(group_id)
    WHERE pg_try_advisory_xact_lock(hashtext('{groups}'), {own}sluice_lock_v1(p.group_id)));
END $$;

-- Holds the rows of groups until the commit: locks those that are there and inserts the others, with the
-- first priority given for each.
CREATE OR REPLACE FUNCTION {own}sluice_hold_v1(p_groups text[], p_priorities int[])
RETURNS void
LANGUAGE plpgsql
SET enable_seqscan TO off
SET plan_cache_mode TO force_generic_plan
AS $$
DECLARE
  v_held text[];
  v_new record;
BEGIN
  -- Before any row lock: who waits here holds nothing that anybody waits for.
  PERFORM pg_advisory_xact_lock_shared(hashtext('{groups}'), l.lock)
  FROM (
    SELECT DISTINCT {own}sluice_lock_v1(p.group_id) AS lock
    FROM unnest(p_groups) AS p(group_id)
    ORDER BY 1
  ) l;
  SELECT array_agg(h.group_id) INTO v_held
  FROM (
    SELECT g.group_id FROM {groups} g
    WHERE g.group_id = ANY (p_groups)
    ORDER BY g.group_id
    FOR KEY SHARE
  ) h;
  -- step
  FOR v_new IN
    SELECT DISTINCT ON (p.group_id) p.group_id, p.priority
    FROM unnest(p_groups, p_priorities) WITH ORDINALITY AS p(group_id, priority, place)
    WHERE NOT EXISTS (SELECT 1 FROM unnest(v_held) AS h(group_id) WHERE h.group_id = p.group_id)
    ORDER BY p.group_id, p.place
  LOOP
    LOOP
      INSERT INTO {groups} (group_id, locked_by, lock_expiry, priority)
      VALUES (v_new.group_id, NULL, NULL, v_new.priority)
      ON CONFLICT (group_id) DO NOTHING;
      EXIT WHEN FOUND;
      -- step
      PERFORM 1 FROM {groups} g WHERE g.group_id = v_new.group_id FOR KEY SHARE;
      EXIT WHEN FOUND;
    END LOOP;
  END LOOP;
END $$;

-- Publishes events in their order; yields their seqs.
CREATE OR REPLACE FUNCTION {own}sluice_publish_v1(
  p_groups text[], p_events text[], p_priorities int[])
RETURNS SETOF bigint
LANGUAGE plpgsql
AS $$
BEGIN
  LOCK TABLE {messages} IN ROW EXCLUSIVE MODE;
  PERFORM {own}sluice_hold_v1(p_groups, p_priorities);
  -- step
  RETURN QUERY
  INSERT INTO {messages} (group_id, event)
  SELECT p.group_id, p.event
  FROM unnest(p_groups, p_events) WITH ORDINALITY AS p(group_id, event, place)
  ORDER BY p.place
  RETURNING seq;
END $$;

-- Puts quarantined messages back under their old seqs; yields those that are back.
CREATE OR REPLACE FUNCTION {own}sluice_requeue_v1(p_seqs bigint[])
RETURNS SETOF bigint
LANGUAGE plpgsql
SET enable_seqscan TO off
SET plan_cache_mode TO force_generic_plan
AS $$
DECLARE
  v_groups text[];
  v_priorities int[];
BEGIN
  LOCK TABLE {messages} IN ROW EXCLUSIVE MODE;
  SELECT array_agg(f.group_id), array_agg(COALESCE(f.priority, 0)) INTO v_groups, v_priorities
  FROM (
    SELECT f.group_id, f.priority FROM {failed} f
    WHERE f.seq = ANY (p_seqs)
    ORDER BY f.seq
    FOR UPDATE
  ) f;
  PERFORM {own}sluice_hold_v1(v_groups, v_priorities);
  -- step
  RETURN QUERY
  WITH back AS (
    INSERT INTO {messages} (seq, group_id, event)
    SELECT f.seq, f.group_id, f.event FROM {failed} f
    WHERE f.seq = ANY (p_seqs)
    ORDER BY f.seq
    ON CONFLICT (seq) DO NOTHING
    RETURNING seq
  )
  DELETE FROM {failed} f USING back b WHERE f.seq = b.seq RETURNING f.seq;
END $$;

-- Leases up to p_max groups, those served longest ago first, and yields their heads. A NULL time is the
-- database's. Order: COALESCE(lock_expiry, 0), then group_id; yielded as served. The bound on it keeps
-- leased and parked groups out of the walk; groups that a clock ahead of ours freed lie behind the bound
-- and are looked at when the rest does not suffice. With the claim indexes 20 to 40 buffers a claim, however
-- many groups there are and whatever their state; without them one pass over all groups.
--
-- Groups to leave out are hashed once: "<> ALL" compares each group walked past with each of them.
--
-- What has been served leaves dead entries at the front of the index until a vacuum, and for as long as
-- any session holds an old snapshot. A caller who knows where the last walk found its first group begins
-- there (p_from, p_from_group) and walks from the front only now and then, or when that does not suffice.
CREATE OR REPLACE FUNCTION {own}sluice_claim_v1(
  p_now double precision, p_lease double precision, p_token text, p_min_priority int, p_max int,
  p_except text[], p_from double precision DEFAULT NULL, p_from_group text DEFAULT NULL)
RETURNS TABLE (
  place bigint, group_id text, seq bigint, event text, lock_expiry double precision,
  served double precision)
LANGUAGE plpgsql
SET enable_seqscan TO off
SET enable_bitmapscan TO off
SET enable_hashjoin TO off
SET enable_mergejoin TO off
SET enable_sort TO off
SET enable_incremental_sort TO off
SET plan_cache_mode TO force_generic_plan
SET jit TO off
AS $$
#variable_conflict use_column
DECLARE
  v_now double precision := COALESCE(p_now, extract(epoch FROM clock_timestamp()));
  v_from double precision := COALESCE(p_from, '-infinity');
  v_from_group text := COALESCE(p_from_group, '');
  v_ahead boolean := false;
  v_left int := p_max;
  v_look int := p_max;
  v_before bigint := 0;
  v_except text[] := p_except;
  v_found text[];
  v_served double precision[];
  v_count int;
  v_empty text[];
BEGIN
  LOOP
    -- Without the claim indexes a pass in the order of the table beats one in that of its key.
    PERFORM set_config('enable_seqscan', 'on', true);
    IF v_ahead THEN
      SELECT array_agg(c.group_id), array_agg(c.served) INTO v_found, v_served
      FROM (
        SELECT g.group_id, g.lock_expiry AS served FROM {groups} g
        WHERE g.locked_by IS NULL AND g.lock_expiry IS NOT NULL AND g.lock_expiry >= v_now
          AND (p_min_priority <= 0 OR g.priority >= p_min_priority)
          AND g.group_id NOT IN (SELECT unnest(v_except))
        ORDER BY g.lock_expiry, g.group_id
        LIMIT v_look
        FOR NO KEY UPDATE SKIP LOCKED
      ) c;
    ELSIF p_min_priority <= 0 THEN
      SELECT array_agg(c.group_id), array_agg(c.served) INTO v_found, v_served
      FROM (
        SELECT g.group_id, COALESCE(g.lock_expiry, 0) AS served FROM {groups} g
        WHERE COALESCE(g.lock_expiry, 0) < v_now
          AND (COALESCE(g.lock_expiry, 0), g.group_id) >= (v_from, v_from_group)
          AND (g.locked_by IS NULL OR g.lock_expiry < v_now)
          AND g.group_id NOT IN (SELECT unnest(v_except))
        ORDER BY COALESCE(g.lock_expiry, 0), g.group_id
        LIMIT v_look
        FOR NO KEY UPDATE SKIP LOCKED
      ) c;
    ELSE
      -- Planned with the level written out: only so an index of that level serves it.
      EXECUTE format(
        'SELECT array_agg(c.group_id), array_agg(c.served)
         FROM (
           SELECT g.group_id, COALESCE(g.lock_expiry, 0) AS served FROM {groups} g
           WHERE g.priority >= %s AND g.priority >= $1
             AND COALESCE(g.lock_expiry, 0) < $2
             AND (COALESCE(g.lock_expiry, 0), g.group_id) >= ($4, $5)
             AND (g.locked_by IS NULL OR g.lock_expiry < $2)
             AND g.group_id NOT IN (SELECT unnest($3))
           ORDER BY COALESCE(g.lock_expiry, 0), g.group_id
           LIMIT %s
           FOR NO KEY UPDATE SKIP LOCKED
         ) c',
        LEAST(p_min_priority, 4), v_look)
      INTO v_found, v_served USING p_min_priority, v_now, v_except, v_from, v_from_group;
    END IF;
    PERFORM set_config('enable_seqscan', 'off', true);
    -- step
    v_count := 0;
    IF v_found IS NOT NULL THEN
      -- A statement begun after the locks were held: a head that is acked already is not seen.
      -- Bounded by the arrays, so that no order of joining reads more than these groups; and a head is asked
      -- for in the order of (group_id, seq), which the key of the messages cannot serve: planned for one
      -- giant group, "ORDER BY seq" walks that key past all messages of the giant to a small group's head.
      RETURN QUERY
      WITH h AS MATERIALIZED (
        SELECT f.group_id, f.served, f.place, m.seq, m.event
        FROM unnest(v_found, v_served) WITH ORDINALITY AS f(group_id, served, place)
        CROSS JOIN LATERAL (
          SELECT m.seq, m.event FROM {messages} m
          WHERE m.group_id >= f.group_id AND m.group_id <= f.group_id
          ORDER BY m.group_id, m.seq
          LIMIT 1
        ) m
        ORDER BY f.place
        LIMIT v_left
      )
      UPDATE {groups} g
      SET locked_by = p_token, lock_expiry = v_now + p_lease
      FROM h
      WHERE g.group_id = h.group_id AND g.group_id = ANY (v_found)
      RETURNING v_before + h.place, h.group_id, h.seq, h.event, g.lock_expiry, h.served;
      GET DIAGNOSTICS v_count = ROW_COUNT;
      v_left := v_left - v_count;
      v_before := v_before + cardinality(v_found);
      IF v_count < cardinality(v_found) THEN
        -- step
        SELECT array_agg(e.group_id) INTO v_empty
        FROM (
          SELECT g.group_id FROM {groups} g
          WHERE g.group_id = ANY (v_found)
            AND NOT EXISTS (SELECT 1 FROM {messages} m WHERE m.group_id = g.group_id)
          FOR UPDATE SKIP LOCKED
        ) e;
        v_empty := {own}sluice_unpublished_v1(v_empty);
        -- step
        DELETE FROM {groups} g
        WHERE g.group_id = ANY (v_empty)
          AND NOT EXISTS (SELECT 1 FROM {messages} m WHERE m.group_id = g.group_id);
        v_except := v_except || v_found;
      END IF;
    END IF;
    EXIT WHEN v_left <= 0;
    IF v_found IS NULL OR cardinality(v_found) < v_look THEN
      EXIT WHEN v_ahead;
      v_ahead := v_from = '-infinity';
      v_from := '-infinity';
      v_from_group := '';
    ELSIF v_count < cardinality(v_found) THEN
      -- Many empty groups in front: more of them at once.
      v_look := LEAST(GREATEST(2 * v_look, 64), 1000);
    END IF;
  END LOOP;
END $$;

-- Frees groups that the caller holds locked: to the back of the order, or away with the row of a group
-- that has no messages left and no publisher inside.
CREATE OR REPLACE FUNCTION {own}sluice_free_v1(p_now double precision, p_groups text[])
RETURNS void
LANGUAGE plpgsql
SET enable_seqscan TO off
SET enable_hashjoin TO off
SET enable_mergejoin TO off
SET plan_cache_mode TO force_generic_plan
AS $$
DECLARE
  v_owned text[];
  v_drained text[];
  v_rest text[];
BEGIN
  SELECT array_agg(o.group_id) INTO v_owned
  FROM (
    SELECT g.group_id FROM {groups} g
    WHERE g.group_id = ANY (p_groups)
    FOR UPDATE SKIP LOCKED
  ) o;
  -- step
  SELECT array_agg(o.group_id) INTO v_drained
  FROM unnest(v_owned) AS o(group_id)
  WHERE NOT EXISTS (SELECT 1 FROM {messages} m WHERE m.group_id = o.group_id);
  v_drained := {own}sluice_unpublished_v1(v_drained);
  -- step
  WITH gone AS (
    DELETE FROM {groups} g
    WHERE g.group_id = ANY (v_drained)
      AND NOT EXISTS (SELECT 1 FROM {messages} m WHERE m.group_id = g.group_id)
    RETURNING g.group_id
  )
  SELECT array_agg(g.group_id) INTO v_drained FROM gone g;
  IF cardinality(p_groups) > COALESCE(cardinality(v_drained), 0) THEN
    SELECT array_agg(r.group_id) INTO v_rest
    FROM (
      SELECT p.group_id FROM unnest(p_groups) AS p(group_id)
      EXCEPT
      SELECT d.group_id FROM unnest(v_drained) AS d(group_id)
    ) r;
    UPDATE {groups} g SET locked_by = NULL, lock_expiry = p_now WHERE g.group_id = ANY (v_rest);
  END IF;
END $$;

-- Deletes messages whose claims still hold, and frees their groups; yields those that held.
CREATE OR REPLACE FUNCTION {own}sluice_ack_v1(
  p_now double precision, p_groups text[], p_seqs bigint[], p_tokens text[])
RETURNS TABLE (group_id text, seq bigint, token text)
LANGUAGE plpgsql
SET enable_seqscan TO off
SET enable_hashjoin TO off
SET enable_mergejoin TO off
SET plan_cache_mode TO force_generic_plan
AS $$
#variable_conflict use_column
DECLARE
  v_groups text[];
  v_seqs bigint[];
  v_tokens text[];
BEGIN
  SELECT array_agg(h.group_id), array_agg(h.seq), array_agg(h.token)
  INTO v_groups, v_seqs, v_tokens
  FROM (
    SELECT g.group_id, p.seq, p.token
    FROM unnest(p_groups, p_seqs, p_tokens) AS p(group_id, seq, token)
    JOIN {groups} g ON g.group_id = p.group_id AND g.locked_by = p.token
    ORDER BY g.group_id
    FOR NO KEY UPDATE OF g
  ) h;
  -- step
  WITH gone AS (
    DELETE FROM {messages} m
    USING unnest(v_groups, v_seqs, v_tokens) AS h(group_id, seq, token)
    WHERE m.seq = h.seq AND m.group_id = h.group_id
    RETURNING m.group_id, m.seq, h.token
  )
  SELECT array_agg(g.group_id), array_agg(g.seq), array_agg(g.token)
  INTO v_groups, v_seqs, v_tokens
  FROM gone g;
  -- step
  PERFORM {own}sluice_free_v1(COALESCE(p_now, extract(epoch FROM clock_timestamp())), v_groups);
  RETURN QUERY
  SELECT d.group_id, d.seq, d.token
  FROM unnest(v_groups, v_seqs, v_tokens) AS d(group_id, seq, token);
END $$;

-- Which of these groups are blocked: quarantine holds a row of theirs that says so. One probe a group of an
-- index of such rows, whatever quarantine holds: the first row found is enough. In tables of an older version,
-- which lack the index, one pass over quarantine for all groups, for which the hash join is there.
CREATE OR REPLACE FUNCTION {own}sluice_blocked_v1(p_groups text[])
RETURNS SETOF text
LANGUAGE plpgsql STABLE
SET enable_seqscan TO off
SET enable_bitmapscan TO off
SET enable_hashjoin TO on
SET plan_cache_mode TO force_generic_plan
SET jit TO off
AS $$
BEGIN
  IF to_regclass('{blocked_index}') IS NOT NULL THEN
    RETURN QUERY
    SELECT p.group_id
    FROM unnest(p_groups) AS p(group_id)
    CROSS JOIN LATERAL (
      SELECT 1 FROM {failed} f
      WHERE f.group_id = p.group_id AND starts_with(f.error_message, 'BLOCKED: ')
      LIMIT 1
    ) f;
  ELSE
    RETURN QUERY
    SELECT p.group_id
    FROM unnest(p_groups) AS p(group_id)
    WHERE EXISTS (
      SELECT 1 FROM {failed} f
      WHERE f.group_id = p.group_id AND starts_with(f.error_message, 'BLOCKED: '));
  END IF;
END $$;

-- Moves messages whose claims still hold to quarantine, and frees their groups. One that is to go there only
-- behind others (p_behind) goes back to the front of the order instead when its group is blocked no more;
-- no batch holds two messages of a group. Yields those that held, and whether each was moved.
--
-- Shares an advisory lock with other rejections that a requeue or discard holds alone, each taking it before
-- any other lock. So a requeue of the group has committed before the look at quarantine, which begins
-- after the lock was taken, and the message goes back to those requeued; or it waits, and takes the message
-- along that was moved.
CREATE OR REPLACE FUNCTION {own}sluice_reject_v2(
  p_now double precision, p_groups text[], p_seqs bigint[], p_tokens text[], p_reasons text[],
  p_behind boolean[])
RETURNS TABLE (group_id text, seq bigint, token text, moved boolean)
LANGUAGE plpgsql
SET enable_seqscan TO off
SET enable_hashjoin TO off
SET enable_mergejoin TO off
SET plan_cache_mode TO force_generic_plan
AS $$
#variable_conflict use_column
DECLARE
  v_now double precision := COALESCE(p_now, extract(epoch FROM clock_timestamp()));
  v_groups text[];
  v_seqs bigint[];
  v_tokens text[];
  v_reasons text[];
  v_priorities int[];
  v_behind text[];
  v_back text[];
BEGIN
  PERFORM pg_advisory_xact_lock_shared(hashtext('{failed}'), 0);
  -- step
  SELECT array_agg(h.group_id), array_agg(h.seq), array_agg(h.token), array_agg(h.reason),
    array_agg(h.priority), array_agg(h.group_id) FILTER (WHERE h.behind)
  INTO v_groups, v_seqs, v_tokens, v_reasons, v_priorities, v_behind
  FROM (
    SELECT g.group_id, p.seq, p.token, p.reason, g.priority, p.behind
    FROM unnest(p_groups, p_seqs, p_tokens, p_reasons, p_behind)
      AS p(group_id, seq, token, reason, behind)
    JOIN {groups} g ON g.group_id = p.group_id AND g.locked_by = p.token
    ORDER BY g.group_id
    FOR NO KEY UPDATE OF g
  ) h;
  -- step
  IF v_behind IS NOT NULL THEN
    SELECT array_agg(b.group_id) INTO v_back
    FROM (
      SELECT u.group_id FROM unnest(v_behind) AS u(group_id)
      EXCEPT
      SELECT s.group_id FROM {own}sluice_blocked_v1(v_behind) AS s(group_id)
    ) b;
    -- step
  END IF;
  WITH gone AS (
    DELETE FROM {messages} m
    USING unnest(v_groups, v_seqs, v_tokens, v_reasons, v_priorities)
      AS h(group_id, seq, token, reason, priority)
    WHERE m.seq = h.seq AND m.group_id = h.group_id AND h.group_id <> ALL (COALESCE(v_back, '{}'))
    RETURNING m.group_id, m.seq, m.event, h.token, h.reason, h.priority
  ), kept AS (
    INSERT INTO {failed} (seq, group_id, event, error_message, priority, failed_at)
    SELECT g.seq, g.group_id, g.event, left(g.reason, 1000), g.priority, floor(v_now)::bigint
    FROM gone g
    ON CONFLICT (seq) DO UPDATE
    SET group_id = EXCLUDED.group_id, event = EXCLUDED.event,
      error_message = EXCLUDED.error_message, priority = EXCLUDED.priority,
      failed_at = EXCLUDED.failed_at
  ), returned AS (
    UPDATE {groups} g
    SET locked_by = NULL, lock_expiry = NULL
    FROM unnest(v_groups, v_seqs, v_tokens) AS h(group_id, seq, token)
    WHERE h.group_id = ANY (v_back) AND g.group_id = h.group_id
    RETURNING h.group_id, h.seq, h.token
  ), held AS (
    SELECT g.group_id, g.seq, g.token, true AS moved FROM gone g
    UNION ALL
    SELECT r.group_id, r.seq, r.token, false FROM returned r
  )
  SELECT array_agg(d.group_id) FILTER (WHERE d.moved), array_agg(d.group_id), array_agg(d.seq),
    array_agg(d.token)
  INTO v_behind, v_groups, v_seqs, v_tokens
  FROM held d;
  -- step
  PERFORM {own}sluice_free_v1(v_now, v_behind);
  RETURN QUERY
  SELECT d.group_id, d.seq, d.token, d.group_id <> ALL (COALESCE(v_back, '{}'))
  FROM unnest(v_groups, v_seqs, v_tokens) AS d(group_id, seq, token);
END $$;

-- Gives claims back. A delay above 0 parks the group, token kept; 0 frees it to the front of the order;
-- a negative one to the back. Yields the claims that held.
CREATE OR REPLACE FUNCTION {own}sluice_nack_v1(
  p_now double precision, p_groups text[], p_tokens text[], p_delays double precision[])
RETURNS TABLE (group_id text, token text)
LANGUAGE plpgsql
SET enable_seqscan TO off
SET enable_hashjoin TO off
SET enable_mergejoin TO off
SET plan_cache_mode TO force_generic_plan
AS $$
#variable_conflict use_column
DECLARE
  v_now double precision := COALESCE(p_now, extract(epoch FROM clock_timestamp()));
  v_groups text[];
  v_tokens text[];
  v_delays double precision[];
BEGIN
  SELECT array_agg(h.group_id), array_agg(h.token), array_agg(h.delay)
  INTO v_groups, v_tokens, v_delays
  FROM (
    SELECT g.group_id, p.token, p.delay
    FROM unnest(p_groups, p_tokens, p_delays) AS p(group_id, token, delay)
    JOIN {groups} g ON g.group_id = p.group_id AND g.locked_by = p.token
    ORDER BY g.group_id
    FOR NO KEY UPDATE OF g
  ) h;
  -- step
  RETURN QUERY
  UPDATE {groups} g
  SET locked_by = CASE WHEN h.delay > 0 THEN g.locked_by END,
    lock_expiry = CASE WHEN h.delay > 0 THEN v_now + h.delay WHEN h.delay < 0 THEN v_now END
  FROM unnest(v_groups, v_tokens, v_delays) AS h(group_id, token, delay)
  WHERE g.group_id = h.group_id
  RETURNING h.group_id, h.token;
END $$;

-- Has leases lapse p_lease seconds from now, all at one instant; yields the claims that held.
CREATE OR REPLACE FUNCTION {own}sluice_extend_v1(
  p_now double precision, p_groups text[], p_tokens text[], p_lease double precision)
RETURNS TABLE (group_id text, token text)
LANGUAGE plpgsql
SET enable_seqscan TO off
SET enable_hashjoin TO off
SET enable_mergejoin TO off
SET plan_cache_mode TO force_generic_plan
AS $$
#variable_conflict use_column
DECLARE
  v_now double precision := COALESCE(p_now, extract(epoch FROM clock_timestamp()));
  v_groups text[];
BEGIN
  SELECT array_agg(h.group_id) INTO v_groups
  FROM (
    SELECT g.group_id
    FROM unnest(p_groups, p_tokens) AS p(group_id, token)
    JOIN {groups} g ON g.group_id = p.group_id AND g.locked_by = p.token
    ORDER BY g.group_id
    FOR NO KEY UPDATE OF g
  ) h;
  -- step
  RETURN QUERY
  UPDATE {groups} g
  SET lock_expiry = v_now + p_lease
  WHERE g.group_id = ANY (v_groups)
  RETURNING g.group_id, g.locked_by;
END $$;

-- Groups without a row among the messages whose seqs lie in these ranges, ends included. Reads the
-- ranges and nothing else: in one join the planner looks up the groups of all messages first.
CREATE OR REPLACE FUNCTION {own}sluice_stranded_v1(p_from bigint[], p_to bigint[])
RETURNS SETOF text
LANGUAGE plpgsql STABLE
SET enable_seqscan TO off
SET enable_sort TO off
SET enable_hashjoin TO off
SET enable_mergejoin TO off
SET plan_cache_mode TO force_generic_plan
SET jit TO off
AS $$
DECLARE
  v_groups text[];
BEGIN
  SELECT array_agg(DISTINCT m.group_id) INTO v_groups
  FROM unnest(p_from, p_to) AS r(low, high)
  CROSS JOIN LATERAL (
    SELECT m.group_id FROM {messages} m WHERE m.seq >= r.low AND m.seq <= r.high ORDER BY m.seq
  ) m;
  RETURN QUERY
  -- A range in the order of the key, which is then the only index for it, also on an empty table.
  SELECT p.group_id FROM unnest(v_groups) AS p(group_id)
  WHERE (
    SELECT true FROM {groups} g
    WHERE g.group_id >= p.group_id AND g.group_id <= p.group_id
    ORDER BY g.group_id
    LIMIT 1) IS NULL;
END $$;

-- Looks at the next p_limit groups of messages behind p_after (NULL: from the first), hopping from group
-- to group in the index; yields the last one, NULL when there are no more, and those without a row.
CREATE OR REPLACE FUNCTION {own}sluice_sweep_v1(
  p_after text, p_limit int, OUT last_group text, OUT stranded text[])
LANGUAGE plpgsql STABLE
SET enable_seqscan TO off
SET enable_bitmapscan TO off
SET enable_sort TO off
SET enable_hashjoin TO off
SET enable_mergejoin TO off
SET plan_cache_mode TO force_generic_plan
AS $$
BEGIN
  stranded := '{}';
  last_group := p_after;
  FOR i IN 1 .. p_limit LOOP
    IF last_group IS NULL THEN
      SELECT m.group_id INTO last_group FROM {messages} m ORDER BY m.group_id, m.seq LIMIT 1;
    ELSE
      SELECT m.group_id INTO last_group FROM {messages} m
      WHERE m.group_id > last_group ORDER BY m.group_id, m.seq LIMIT 1;
    END IF;
    EXIT WHEN last_group IS NULL;
    IF NOT EXISTS (SELECT 1 FROM {groups} g WHERE g.group_id = last_group) THEN
      stranded := stranded || last_group;
    END IF;
  END LOOP;
END $$;

-- Gives groups that have messages and no row a row again, with priority 0; yields those that got one.
-- Does not wait for a publisher who is giving the group its row: a poll would wait as long as he takes.
CREATE OR REPLACE FUNCTION {own}sluice_restore_v1(p_groups text[])
RETURNS SETOF text
LANGUAGE plpgsql
SET enable_seqscan TO off
SET enable_hashjoin TO off
SET enable_mergejoin TO off
SET plan_cache_mode TO force_generic_plan
SET lock_timeout TO '10ms'
AS $$
DECLARE
  v_group text;
BEGIN
  FOR v_group IN SELECT DISTINCT p.group_id FROM unnest(p_groups) AS p(group_id) ORDER BY p.group_id
  LOOP
    IF EXISTS (SELECT 1 FROM {messages} m WHERE m.group_id = v_group)
      AND NOT EXISTS (SELECT 1 FROM {groups} g WHERE g.group_id = v_group)
    THEN
      BEGIN
        INSERT INTO {groups} (group_id, locked_by, lock_expiry, priority)
        VALUES (v_group, NULL, NULL, 0)
        ON CONFLICT (group_id) DO NOTHING;
        RETURN NEXT v_group;
      EXCEPTION WHEN lock_not_available THEN
        NULL;
      END;
    END IF;
  END LOOP;
END $$;
