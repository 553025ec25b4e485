-- Tells routers of what was published, so that an idle queue is polled at once. Dropped again by
-- `schema drop-notify`.
--
-- Runs inside the producers' transactions, once a statement, and never fails one: a queue's name is cut to what
-- a notification can hold, and while half of the server's room for notifications is taken, by a listener
-- that does not read them, nothing is said and routers poll.
CREATE OR REPLACE FUNCTION sluice_notify_queue() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  IF pg_notification_queue_usage() < 0.5 THEN
    PERFORM pg_notify(
      'sluice_' || hashtextextended(format('%I.%I', TG_TABLE_SCHEMA, TG_TABLE_NAME), 0), q.name)
    FROM (SELECT DISTINCT left(p.queue_name, 500) AS name FROM published p) q;
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER sluice_notify AFTER INSERT ON queue_messages
  REFERENCING NEW TABLE AS published
  FOR EACH STATEMENT EXECUTE FUNCTION sluice_notify_queue();
