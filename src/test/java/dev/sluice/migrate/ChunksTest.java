package dev.sluice.migrate;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ChunksTest {
  @Test
  void groupsStayWhole() throws SQLException {
    assertThat(cut(4, "a", "a", "b", "b", "b", "c")).containsExactly("aa", "bbbc");
  }

  @Test
  void aGroupThatIsTooLargeComesInParts() throws SQLException {
    assertThat(cut(2, "a", "b", "b", "b", "c")).containsExactly("a", "bb", "+bc");
  }

  @Test
  void largePayloadsMakeSmallChunks() throws SQLException {
    Deque<List<RowKey>> source = new ArrayDeque<>();
    source.add(List.of(key("a", 12 << 20), key("b", 12 << 20)));
    assertThat(cut(source, 10)).containsExactly("a", "b");
  }

  @Test
  void nothingHasNoChunk() throws SQLException {
    assertThat(cut(2)).isEmpty();
  }

  private static List<String> cut(int most, String... groups) throws SQLException {
    Deque<List<RowKey>> source = new ArrayDeque<>();
    for (String group : groups) {
      source.add(List.of(key(group, 1)));
    }
    return cut(source, most);
  }

  /** The groups of each chunk, a letter per row; "+" before one whose first group goes on. */
  private static List<String> cut(Deque<List<RowKey>> source, int most) throws SQLException {
    Chunks chunks = new Chunks(() -> source.isEmpty() ? List.of() : source.removeFirst(), most);
    List<String> cut = new ArrayList<>();
    for (Optional<Chunk> next = chunks.next(); next.isPresent(); next = chunks.next()) {
      StringBuilder letters = new StringBuilder(next.get().continued() ? "+" : "");
      next.get().keys().forEach(key -> letters.append(key.group()));
      cut.add(letters.toString());
    }
    return cut;
  }

  private static RowKey key(String group, long bytes) {
    return new RowKey(group, group, 1, bytes);
  }
}
