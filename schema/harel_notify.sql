-- Tells routers of what was published, so that an idle queue is polled at once. Dropped again by
-- `schema drop-notify`.
--
-- Runs inside the publishers' transactions, once a statement, and never fails one: while half of the server's
-- room for notifications is taken, by a listener that does not read them, nothing is said and routers poll.
CREATE OR REPLACE FUNCTION {own}sluice_notify() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  IF pg_notification_queue_usage() < 0.5 THEN
    PERFORM pg_notify(
      'sluice_' || hashtextextended(format('%I.%I', TG_TABLE_SCHEMA, TG_TABLE_NAME), 0), '');
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER sluice_notify AFTER INSERT ON {messages}
  FOR EACH STATEMENT EXECUTE FUNCTION {own}sluice_notify();
