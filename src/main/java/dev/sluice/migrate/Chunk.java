package dev.sluice.migrate;

import java.util.List;

/**
 * What one transaction may move: whole groups, or a part of one that is larger than that.
 *
 * @param continued whether the first rows of its one group were in an earlier chunk
 */
record Chunk(List<RowKey> keys, boolean continued) {
  Chunk {
    keys = List.copyOf(keys);
  }

  List<String> groups() {
    return keys.stream().map(RowKey::group).distinct().toList();
  }

  Chunk without(String group) {
    return new Chunk(keys.stream().filter(key -> !key.group().equals(group)).toList(), false);
  }
}
