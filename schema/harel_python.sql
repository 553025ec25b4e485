-- The two functions that Python workers call, created only where they are missing: a worker replaces them by
-- its own at its start. Names, types, parameter names and defaults are those of the package.
CREATE FUNCTION {claim}(
  p_now double precision, p_lease double precision, p_token text, p_min_priority int DEFAULT 0)
RETURNS TABLE (group_id text, seq bigint, event text)
LANGUAGE plpgsql
AS $$
BEGIN
  RETURN QUERY
  SELECT c.group_id, c.seq, c.event
  FROM {own}sluice_claim_v1(p_now, p_lease - p_now, p_token, p_min_priority, 1, '{}') AS c;
END $$;

CREATE FUNCTION {ack}(p_group text, p_seq bigint, p_token text, p_now double precision)
RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM {own}sluice_ack_v1(p_now, ARRAY[p_group], ARRAY[p_seq], ARRAY[p_token]);
END $$;
