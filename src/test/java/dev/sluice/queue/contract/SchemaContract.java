package dev.sluice.queue.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.queue.QueueException;
import dev.sluice.queue.SchemaReport;
import dev.sluice.queue.SchemaReport.Extra;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What is created, compared and dropped. */
abstract class SchemaContract extends QueueContract {

  @Test
  void aFreshSchemaChecksClean() {
    assertThat(queue().checkSchema())
        .isEqualTo(new SchemaReport(List.of(), Optional.empty(), List.of()));
  }

  @Test
  void initTwiceChangesNothing() {
    publish("a1", "a2");
    queue().reject(claim().receipt(), "no");

    queue().initSchema();
    another().initSchema();

    assertThat(waiting()).isOne();
    assertThat(quarantine()).hasSize(1);
    assertThat(queue().checkSchema().usable()).isTrue();
  }

  @Test
  void aMissingTableIsNamedAndNotCreated() {
    sql("DROP TABLE " + backend().messagesTable());

    SchemaReport report = queue().checkSchema();

    assertThat(report.usable()).isFalse();
    assertThat(report.differences())
        .contains("table " + backend().messagesTable() + " does not exist");
    assertThatThrownBy(() -> queue().poll(1))
        .isInstanceOf(QueueException.class)
        .hasMessageContaining(backend().messagesTable())
        .hasMessageContaining("42P01");
    assertThat(queue().checkSchema()).isEqualTo(report);
  }

  @Test
  void initCreatesAMissingTableAnew() {
    sql("DROP TABLE " + backend().messagesTable());

    queue().initSchema();

    publish("a1");
    assertThat(poll(1)).containsExactly("a1");
    assertThat(queue().checkSchema().usable()).isTrue();
  }

  @Test
  void aMissingColumnIsNamedWithItsTable() {
    sql(
        "ALTER TABLE %s DROP COLUMN %s"
            .formatted(backend().messagesTable(), backend().payloadColumn()));

    assertThat(queue().checkSchema().differences())
        .containsExactly(
            "table %s has no column %s text"
                .formatted(backend().messagesTable(), backend().payloadColumn()));
  }

  @Test
  void aColumnOfAnotherTypeIsNamedWithItsTable() {
    sql(
        "ALTER TABLE %s ALTER COLUMN %s TYPE varchar(10)"
            .formatted(backend().messagesTable(), backend().payloadColumn()));

    assertThat(queue().checkSchema().differences())
        .singleElement()
        .asString()
        .startsWith(
            "table %s: column %s is character varying"
                .formatted(backend().messagesTable(), backend().payloadColumn()))
        .endsWith("must be text");
  }

  @Test
  void aMissingQuarantineIsToldAndNoDifference() {
    sql("DROP TABLE " + backend().quarantineTable());

    assertThat(queue().checkSchema())
        .isEqualTo(
            new SchemaReport(List.of(), Optional.of(backend().quarantineTable()), List.of()));
    queue().initSchema();
    assertThat(queue().checkSchema().missingQuarantine()).isEmpty();
  }

  @Test
  void extrasAreCreatedAndDroppedTwice() {
    for (Extra extra : backend().extras()) {
      queue().admin().createExtra(extra);
      queue().admin().createExtra(extra);
    }
    assertThat(Set.copyOf(queue().checkSchema().extras())).isEqualTo(backend().extras());
    publish("a1", "a2");
    assertThat(drain()).containsExactly("a1", "a2");

    for (Extra extra : backend().extras()) {
      queue().admin().dropExtra(extra);
      queue().admin().dropExtra(extra);
    }
    assertThat(queue().checkSchema())
        .isEqualTo(new SchemaReport(List.of(), Optional.empty(), List.of()));
  }

  @Test
  void anExtraOfTheOtherBackendIsRefused() {
    for (Extra extra : Extra.values()) {
      if (!backend().extras().contains(extra) && extra != Extra.OLD_CLAIM_INDEXES) {
        assertThatIllegalArgumentException().isThrownBy(() -> queue().admin().createExtra(extra));
        assertThatIllegalArgumentException().isThrownBy(() -> queue().admin().dropExtra(extra));
      }
    }
  }

  @Test
  void theScriptNamesEveryTable() {
    assertThat(queue().admin().schemaScript())
        .contains("CREATE TABLE IF NOT EXISTS " + backend().messagesTable())
        .contains("CREATE TABLE IF NOT EXISTS " + backend().quarantineTable());
  }
}
