package dev.sluice.queue.harel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.queue.SchemaReport.Extra;
import dev.sluice.testing.TestDatabase;
import java.sql.Connection;
import java.sql.Statement;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The tables get a prefix while they are in use, as harel's upgrade to 0.7 has it. */
class HarelRenamedTablesTest {
  private TestDatabase database;

  @BeforeEach
  void rename() throws Exception {
    database = TestDatabase.fresh();
    HarelQueue queue = HarelQueue.builder(database.dataSource()).build();
    queue.initSchema();
    queue.admin().createExtra(Extra.GUARD);
    execute("ALTER TABLE transport_messages RENAME TO harel_transport_messages");
    execute("ALTER TABLE transport_groups RENAME TO harel_transport_groups");
  }

  @AfterEach
  void dropDatabase() {
    database.close();
  }

  @Test
  void theGuardDoesNotStopPublishers() throws Exception {
    int rows = execute("INSERT INTO harel_transport_groups (group_id) VALUES ('g')");

    assertThat(rows).isEqualTo(1);
  }

  @Test
  void theGuardDoesNotStopWorkers() throws Exception {
    execute("INSERT INTO harel_transport_groups (group_id) VALUES ('g')");

    int rows = execute("DELETE FROM harel_transport_groups WHERE group_id = 'g'");

    assertThat(rows).isEqualTo(1);
  }

  private int execute(String sql) throws Exception {
    try (Connection connection = database.connect();
        Statement statement = connection.createStatement()) {
      return statement.executeUpdate(sql);
    }
  }
}
