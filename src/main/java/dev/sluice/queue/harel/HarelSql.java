package dev.sluice.queue.harel;

/**
 * The calls of our functions, which {@code schema/harel_functions.sql} explains. Those that lock
 * look anew afterwards, and a database may default to one snapshot: they need READ COMMITTED.
 */
record HarelSql(
    String claim,
    String ack,
    String reject,
    String nack,
    String extend,
    String publish,
    String present,
    String look,
    String sweep,
    String restore,
    String blocked,
    String aloneInQuarantine,
    String requeue) {

  // Its type is said here: null stands for the database's clock, and a null has none of its own.
  private static final String NOW = "CAST(? AS double precision)";

  HarelSql(HarelNames names) {
    this(
        names.in(
            "SELECT * FROM {own}sluice_claim_v1("
                + NOW
                + ", ?, ?, ?, ?, CAST(? AS text[]),"
                + " CAST(? AS double precision), CAST(? AS text))"),
        names.in("SELECT * FROM {own}sluice_ack_v1(" + NOW + ", ?, ?, ?)"),
        names.in("SELECT * FROM {own}sluice_reject_v2(" + NOW + ", ?, ?, ?, ?, ?)"),
        names.in("SELECT * FROM {own}sluice_nack_v1(" + NOW + ", ?, ?, ?)"),
        names.in("SELECT * FROM {own}sluice_extend_v1(" + NOW + ", ?, ?, ?)"),
        names.in("SELECT * FROM {own}sluice_publish_v1(?, ?, ?)"),
        names.in("SELECT seq FROM {messages} WHERE seq = ANY (?)"),
        // In one snapshot, as the function is STABLE.
        names.in(
            """
            SELECT pg_snapshot_xmin(s.now)::text::bigint, pg_snapshot_xmax(s.now)::text::bigint,
              COALESCE((SELECT max(m.seq) FROM {messages} m), 0),
              ARRAY(SELECT {own}sluice_stranded_v1(?, ?))
            FROM (SELECT pg_current_snapshot() AS now) s"""),
        names.in("SELECT last_group, stranded FROM {own}sluice_sweep_v1(CAST(? AS text), ?)"),
        names.in("SELECT * FROM {own}sluice_restore_v1(?)"),
        names.in("SELECT * FROM {own}sluice_blocked_v1(?)"),
        // Before any other lock, and before the look that is to see every rejection.
        names.in("SELECT pg_advisory_xact_lock(hashtext('{failed}'), 0)"),
        names.in("SELECT * FROM {own}sluice_requeue_v1(?)"));
  }
}
