package dev.sluice.queue.uri;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.queue.QueueException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PostgresBinariesTest {

  @Test
  void aDirectoryThatWasLeftHalfFullIsFilledAnew(@TempDir Path cache) throws IOException {
    PostgresBinaries.unpack(PostgresPlatform.current(), cache);
    Path root = onlyDirectory(cache);
    Path partial = cache.resolve(root.getFileName() + ".partial");
    Files.move(root, partial);
    Files.delete(partial.resolve("bin/initdb"));

    PostgresBinaries binaries = PostgresBinaries.unpack(PostgresPlatform.current(), cache);

    assertThat(binaries.run(cache, "initdb", List.of("--version")))
        .startsWith("initdb (PostgreSQL)");
    assertThat(partial).doesNotExist();
  }

  @Test
  void theVersionIsThatOfTheServer() {
    PostgresBinaries binaries = PostgresBinaries.unpack();

    assertThat(binaries.run(Path.of("."), "postgres", List.of("--version")))
        .startsWith("postgres (PostgreSQL) " + binaries.majorVersion() + ".");
  }

  @Test
  void aPlatformWithoutBinariesIsNamed(@TempDir Path cache) {
    assertThatThrownBy(() -> PostgresBinaries.unpack(new PostgresPlatform("plan9", "mips"), cache))
        .isInstanceOf(QueueException.class)
        .hasMessage(
            "no PostgreSQL for plan9 on mips comes with this program: name a database with --uri"
                + " postgres://...");
  }

  @Test
  void aProgramThatFailsIsNamedWithItsLastWord() {
    PostgresBinaries binaries = PostgresBinaries.unpack();

    assertThatThrownBy(() -> binaries.run(Path.of("."), "initdb", List.of("--nonsense")))
        .isInstanceOf(QueueException.class)
        .hasMessageStartingWith("initdb of PostgreSQL ended with code 1: ");
  }

  private static Path onlyDirectory(Path cache) throws IOException {
    try (var entries = Files.list(cache)) {
      return entries.filter(Files::isDirectory).findFirst().orElseThrow();
    }
  }
}
