package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PublishTest extends WithDatabase {

  @BeforeEach
  void createTables() {
    initSchema();
  }

  private static String line(String id, String group) {
    return "{\"id\":\"%s\",\"mediationTarget\":\"http://t/\",\"messageGroupId\":\"%s\"}%n"
        .formatted(id, group);
  }

  @Test
  void publishesAFile(@TempDir Path directory) throws IOException {
    Path file =
        Files.writeString(directory.resolve("orders"), line("o1", "g") + "\n" + line("o2", "g"));

    CliRun run = run("publish", "--queue", "orders", file.toString());

    assertThat(run.exitCode()).isZero();
    assertThat(run.out()).startsWith("published 2 messages to queue 'orders' in ");
    assertThat(query("SELECT payload FROM queue_messages WHERE id = 'o1'"))
        .containsExactly(
            "{\"id\":\"o1\",\"mediationType\":\"HTTP\",\"mediationTarget\":\"http://t/\",\"messageGroupId\":\"g\"}");
  }

  @Test
  void saysWhatExistedAlready() {
    shell().typing(line("o1", "g")).run("publish", "--queue", "orders");

    CliRun run =
        shell()
            .typing(line("o1", "g") + line("o2", "g") + line("o2", "g"))
            .run("publish", "--queue", "orders", "--json", "-");

    assertThat(run.keys()).containsExactly("queue", "published", "existed", "skipped", "seconds");
    assertThat(run.json().at("/published").asInt()).isEqualTo(1);
    assertThat(run.json().at("/existed").asInt()).isEqualTo(2);
  }

  @Test
  void anEmptyFilePublishesNothing() {
    CliRun run = run("publish", "--queue", "orders");

    assertThat(run.exitCode()).isZero();
    assertThat(run.out()).startsWith("published 0 messages to queue 'orders'");
  }

  @Test
  void aBadLineStopsBeforeItsBatch() {
    CliRun run =
        shell()
            .typing(line("o1", "g") + "{\"id\":5}\n" + line("o2", "g"))
            .run("publish", "--queue", "orders");

    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.errorLines()).hasSize(1);
    assertThat(run.err())
        .contains("standard input, line 2: ", "0 published before it", "--skip-bad");
    assertThat(query("SELECT id FROM queue_messages")).isEmpty();
  }

  @Test
  void skipBadReportsAndGoesOn() {
    CliRun run =
        shell()
            .typing(line("o1", "g") + "nonsense\n" + "{}\n" + line("o2", "g"))
            .run("publish", "--queue", "orders", "--skip-bad");

    assertThat(run.exitCode()).isZero();
    assertThat(run.err()).contains("line 2: ", "line 3: the message has no id");
    assertThat(run.out()).contains("published 2 messages", "2 bad lines skipped");
  }

  @Test
  void aQueueNameMayHoldAQuote() {
    CliRun run = shell().typing(line("o1", "g")).run("publish", "--queue", "o'hara \"&co");

    assertThat(run.exitCode()).isZero();
    assertThat(query("SELECT queue_name FROM queue_messages")).containsExactly("o'hara \"&co");
    assertThat(run("peek", "--queue", "o'hara \"&co").out()).contains("o1");
  }

  @Test
  void aFileThatIsNotThereIsNamed() {
    CliRun run = run("publish", "--queue", "orders", "no-such-file");

    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.err()).isEqualTo("sluice: there is no file no-such-file; check its name\n");
  }

  @Test
  void aDirectoryIsNoFile(@TempDir Path directory) {
    CliRun run = run("publish", "--queue", "orders", directory.toString());

    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.errorLines()).hasSize(1);
    assertThat(run.err()).contains(directory + " is a directory");
  }

  @Test
  void warnsOnceOfAnOrderThatIsLost() {
    CliRun run =
        shell()
            .typing(line("b", "g") + line("a", "g") + line("z", "h") + line("y", "h"))
            .run("publish", "--queue", "orders");

    assertThat(run.exitCode()).isZero();
    assertThat(run.errorLines()).hasSize(1);
    assertThat(run.err()).contains("group 'g'", "'b' was published before 'a'", "--keep-order");
  }

  @Test
  void keepOrderWaitsForTheNextSecond() {
    CliRun run =
        shell()
            .typing(line("b", "g") + line("a", "g"))
            .run("publish", "--queue", "orders", "--keep-order");

    assertThat(run.err()).isEmpty();
    assertThat(query("SELECT id FROM queue_messages ORDER BY created_at, id"))
        .containsExactly("b", "a");
  }
}
