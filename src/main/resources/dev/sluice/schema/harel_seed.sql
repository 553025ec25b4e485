-- The tables, the index and the functions as the seed makes them: what ours is measured beside.
CREATE TABLE transport_messages (
  seq BIGSERIAL PRIMARY KEY, group_id TEXT NOT NULL, event TEXT NOT NULL);
CREATE INDEX transport_messages_group ON transport_messages (group_id, seq);
CREATE TABLE transport_groups (
  group_id TEXT PRIMARY KEY, locked_by TEXT, lock_expiry DOUBLE PRECISION,
  priority INT NOT NULL DEFAULT 0);
CREATE INDEX transport_groups_claimable ON transport_groups (lock_expiry);

CREATE FUNCTION harel_claim(
  p_now double precision, p_lease double precision, p_token text, p_min_priority int DEFAULT 0)
RETURNS TABLE(group_id text, seq bigint, event text) AS $$
DECLARE g text;
BEGIN
  LOOP
    UPDATE transport_groups tg SET locked_by = p_token, lock_expiry = p_lease
    WHERE tg.group_id = (
      SELECT s.group_id FROM transport_groups s
      WHERE (s.locked_by IS NULL OR s.lock_expiry < p_now) AND s.priority >= p_min_priority
      ORDER BY COALESCE(s.lock_expiry, 0) ASC, s.group_id FOR UPDATE SKIP LOCKED LIMIT 1
    ) RETURNING tg.group_id INTO g;
    IF g IS NULL THEN RETURN; END IF;
    RETURN QUERY SELECT m.group_id, m.seq, m.event FROM transport_messages m
                 WHERE m.group_id = g ORDER BY m.seq LIMIT 1;
    IF FOUND THEN RETURN; END IF;
    DELETE FROM transport_groups WHERE transport_groups.group_id = g AND locked_by = p_token;
  END LOOP;
END; $$ LANGUAGE plpgsql;

CREATE FUNCTION harel_ack(p_group text, p_seq bigint, p_token text, p_now double precision)
RETURNS void AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM transport_groups WHERE group_id = p_group AND locked_by = p_token) THEN
    DELETE FROM transport_messages WHERE seq = p_seq;
    IF EXISTS (SELECT 1 FROM transport_messages WHERE group_id = p_group) THEN
      UPDATE transport_groups SET locked_by = NULL, lock_expiry = p_now
      WHERE group_id = p_group AND locked_by = p_token;
    ELSE
      DELETE FROM transport_groups WHERE group_id = p_group AND locked_by = p_token;
    END IF;
  END IF;
END; $$ LANGUAGE plpgsql;
