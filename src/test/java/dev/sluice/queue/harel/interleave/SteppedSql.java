package dev.sluice.queue.harel.interleave;

import java.util.regex.Pattern;

/** Makes the steps of a PL/pgSQL function's text visible to a {@link Schedule}. */
final class SteppedSql {
  /** The advisory locks that sessions stop at: this, and twice the session's number (+ 1). */
  static final int GATE = 55_000;

  // An IF and not a PERFORM, which would set FOUND under the hands of the function.
  private static final String STOP = "IF test_step() THEN END IF;";
  private static final Pattern STEP = Pattern.compile("(?m)^[ \\t]*-- step[ \\t]*$");

  private static final Pattern LOCK =
      Pattern.compile(
          "(\\s+(?:ORDER BY [^\n]*\\s+)?(?:LIMIT [^\n]*\\s+)?"
              + "FOR (?:KEY SHARE|NO KEY UPDATE|UPDATE)\\b)");

  /**
   * A session stops at its two gates in turn: with one, it could come back to it before the
   * scheduler, which lets it pass by opening the gate, has closed it again.
   */
  static final String FUNCTIONS =
      """
      CREATE FUNCTION test_step() RETURNS boolean LANGUAGE plpgsql AS $$
      DECLARE
        v_session int := nullif(current_setting('test.session', true), '');
        v_gate int;
      BEGIN
        IF v_session IS NULL THEN
          RETURN false;
        END IF;
        v_gate := 2 * v_session + current_setting('test.parity')::int;
        PERFORM set_config('test.parity', (1 - v_gate %% 2)::text, false);
        PERFORM pg_advisory_lock_shared(%1$d, v_gate);
        PERFORM pg_advisory_unlock_shared(%1$d, v_gate);
        RETURN false;
      END $$;
      CREATE FUNCTION test_waiting(p_pids int[]) RETURNS TABLE (pid int, place int)
      LANGUAGE sql AS $$
        SELECT l.pid, CASE WHEN l.locktype = 'advisory' AND l.classid = %1$d THEN l.objid::int ELSE %2$d END
        FROM pg_locks l WHERE NOT l.granted AND l.pid = ANY (p_pids)
      $$;
      CREATE FUNCTION test_pass(p_gate int, p_pids int[]) RETURNS TABLE (pid int, place int)
      LANGUAGE plpgsql AS $$
      BEGIN
        PERFORM pg_advisory_unlock(%1$d, p_gate);
        PERFORM pg_advisory_lock(%1$d, p_gate);
        FOR i IN 1 .. 3 LOOP
          EXIT WHEN (SELECT count(*) FROM test_waiting(p_pids)) = cardinality(p_pids);
        END LOOP;
        RETURN QUERY SELECT * FROM test_waiting(p_pids);
      END $$;
      """
          .formatted(GATE, Stage.FOR_A_LOCK);

  private SteppedSql() {}

  /** The text, with a stop at each line {@code -- step}. */
  static String of(String text) {
    return STEP.matcher(text).replaceAll(STOP);
  }

  /**
   * The text, with a stop also in each statement that locks rows, where it has found a row by what
   * it saw at its beginning and has not locked it yet.
   */
  static String withinStatements(String text) {
    return of(LOCK.matcher(text).replaceAll(" AND NOT test_step()$1"));
  }
}
