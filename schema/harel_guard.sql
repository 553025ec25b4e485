-- Two triggers for tables that Python publishers and workers write too: whatever their statements do,
-- no message is left in a group without a row. Dropped again by `schema drop-guard`. On a table that has been
-- renamed since, as harel's upgrade to 0.7 does, they let everything pass.

-- A publisher that meets a group's row holds it until its commit, or waits for the one who is deleting it.
CREATE OR REPLACE FUNCTION {own}sluice_guard_insert() RETURNS trigger
LANGUAGE plpgsql
SET enable_seqscan TO off
AS $$
BEGIN
  IF current_setting('sluice.guard', true) = 'inserting' OR TG_TABLE_NAME <> '{groups}' THEN
    RETURN NEW;
  END IF;
  -- For our acks and claims: a row lock alone can be lost, as harel_functions.sql tells.
  PERFORM pg_advisory_xact_lock_shared(
    hashtext('{groups}'), {own}sluice_lock_v1(NEW.group_id));
  LOOP
    PERFORM 1 FROM {groups} g WHERE g.group_id = NEW.group_id FOR KEY SHARE;
    -- What the statement does with a row that is there is its own matter.
    IF FOUND THEN
      RETURN NEW;
    END IF;
    -- step
    PERFORM set_config('sluice.guard', 'inserting', true);
    INSERT INTO {groups} (group_id, locked_by, lock_expiry, priority)
    VALUES (NEW.group_id, NEW.locked_by, NEW.lock_expiry, NEW.priority)
    ON CONFLICT (group_id) DO NOTHING;
    IF FOUND THEN
      PERFORM set_config('sluice.guard', '', true);
      RETURN NULL;
    END IF;
    PERFORM set_config('sluice.guard', '', true);
  END LOOP;
END $$;

-- A row that has messages is freed and not deleted. The row is locked by now: a publisher inside has
-- committed. An empty row has to go, though: the package's claim takes it again and again in one
-- transaction until it is gone.
CREATE OR REPLACE FUNCTION {own}sluice_guard_delete() RETURNS trigger
LANGUAGE plpgsql
SET enable_seqscan TO off
AS $$
BEGIN
  IF TG_TABLE_NAME <> '{groups}' THEN
    RETURN OLD;
  END IF;
  IF EXISTS (SELECT 1 FROM {messages} m WHERE m.group_id = OLD.group_id) THEN
    -- step
    UPDATE {groups} g
    SET locked_by = NULL, lock_expiry = extract(epoch FROM clock_timestamp())
    WHERE g.group_id = OLD.group_id;
    RETURN NULL;
  END IF;
  -- step
  RETURN OLD;
END $$;

CREATE TRIGGER sluice_guard_insert BEFORE INSERT ON {groups}
  FOR EACH ROW EXECUTE FUNCTION {own}sluice_guard_insert();

CREATE TRIGGER sluice_guard_delete BEFORE DELETE ON {groups}
  FOR EACH ROW EXECUTE FUNCTION {own}sluice_guard_delete();
