package dev.sluice.queue.uri;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PostgresServerTest {
  @Test
  void aServerThatWasKilledIsAbandonedWithoutASignalToWhoHasItsNumberNow(@TempDir Path home)
      throws IOException {
    Process other = new ProcessBuilder("sleep", "60").start();
    try {
      Files.createDirectory(home.resolve("data"));
      Files.writeString(
          home.resolve("data/postmaster.pid"),
          "%d\n%s\n0\n5432\n\n127.0.0.1\n\nready\n".formatted(other.pid(), home.resolve("data")));

      new PostgresServer(PostgresBinaries.unpack(), home).abandon();

      assertThat(other.isAlive()).isTrue();
    } finally {
      other.destroyForcibly();
    }
  }
}
