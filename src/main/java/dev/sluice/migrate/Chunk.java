package dev.sluice.migrate;

import java.util.List;

/**
 * What one transaction may move: whole groups, or a part of one that is larger than that.
 *
 * @param continued whether the first rows of its one group were in an earlier chunk
 */
record Chunk(List<Key> keys, boolean continued) {
  /**
   * One message at the source.
   *
   * @param group its group
   * @param key its id, or its seq
   * @param groupSize how many messages its group has
   * @param bytes how long its payload is
   */
  record Key(String group, String key, long groupSize, long bytes) {}

  Chunk {
    keys = List.copyOf(keys);
  }

  List<String> groups() {
    return keys.stream().map(Key::group).distinct().toList();
  }

  Chunk without(String group) {
    return new Chunk(keys.stream().filter(key -> !key.group().equals(group)).toList(), false);
  }
}
