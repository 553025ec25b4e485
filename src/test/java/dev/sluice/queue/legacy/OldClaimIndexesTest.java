package dev.sluice.queue.legacy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.sluice.queue.SchemaReport.Extra;
import dev.sluice.queue.jdbc.SchemaTools;
import dev.sluice.queue.jdbc.Session;
import dev.sluice.testing.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** From the claim indexes of an older version to ours; the contract runs on them, too. */
class OldClaimIndexesTest {
  private static final String OURS =
      "idx_queue_visible,queue_messages_pkey,sluice_claim_fresh,sluice_claim_idle,"
          + "sluice_claim_lapse,sluice_claim_late,sluice_claim_oversized,sluice_claim_returned,"
          + "sluice_claim_taken";

  private TestDatabase database;
  private LegacyQueue queue;

  @BeforeEach
  void createTableOfAnOlderVersion() throws SQLException {
    database = TestDatabase.fresh();
    queue = LegacyQueue.builder(database.dataSource(), "orders").build();
    queue.initSchema();
    try (Connection connection = database.connect()) {
      OldClaimIndexes.create(connection);
    }
  }

  @AfterEach
  void dropDatabase() {
    database.close();
  }

  @Test
  void theyAreNoClaimIndexesButKnown() {
    assertThat(queue.checkSchema().usable()).isTrue();
    assertThat(queue.checkSchema().extras()).containsExactly(Extra.OLD_CLAIM_INDEXES);
  }

  @Test
  void oursReplaceThem() throws SQLException {
    queue.admin().createExtra(Extra.CLAIM_INDEXES);

    assertThat(queue.checkSchema().extras()).containsExactly(Extra.CLAIM_INDEXES);
    assertThat(indexes()).isEqualTo(OURS);
  }

  @Test
  void anUpgradeThatWasInterruptedIsFinished() throws SQLException {
    queue.admin().createExtra(Extra.CLAIM_INDEXES);
    try (Connection connection = database.connect()) {
      OldClaimIndexes.create(connection);
    }
    sql("DROP INDEX sluice_claim_group");
    assertThat(queue.checkSchema().extras())
        .containsExactly(Extra.CLAIM_INDEXES, Extra.OLD_CLAIM_INDEXES);

    queue.admin().createExtra(Extra.CLAIM_INDEXES);

    assertThat(indexes()).isEqualTo(OURS);
  }

  @Test
  void theyAreDroppedWithOurs() throws SQLException {
    queue.admin().dropExtra(Extra.CLAIM_INDEXES);

    assertThat(queue.checkSchema().extras()).isEmpty();
    assertThat(indexes()).isEqualTo("idx_queue_visible,queue_messages_pkey");
  }

  @Test
  void nobodyMakesThemAnew() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> queue.admin().createExtra(Extra.OLD_CLAIM_INDEXES));
  }

  private String indexes() throws SQLException {
    try (Connection connection = database.connect()) {
      return Session.query(
              connection,
              "SELECT string_agg(indexname, ',' ORDER BY indexname COLLATE \"C\")"
                  + " FROM pg_indexes WHERE tablename = 'queue_messages'",
              row -> row.getString(1))
          .get(0);
    }
  }

  private void sql(String sql) throws SQLException {
    try (Connection connection = database.connect()) {
      SchemaTools.execute(connection, sql);
    }
  }
}
