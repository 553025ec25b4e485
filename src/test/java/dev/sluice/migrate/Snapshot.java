package dev.sluice.migrate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.testing.TestDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** The payloads of each group in the order in which they are served; what is ours is left out. */
record Snapshot(Map<String, List<String>> groups) {
  /** What every payload of a test holds, and no hold does. */
  static final String MARK = "t.example";

  static String payload(String id, String group) {
    return "{\"id\":\"%s\",\"mediationType\":\"HTTP\",\"mediationTarget\":\"https://%s/hook\",\"messageGroupId\":\"%s\",\"dispatchMode\":\"NEXT_ON_ERROR\"}"
        .formatted(id, MARK, group);
  }

  /**
   * @param query yields group and payload, those of a group in order
   */
  static Snapshot of(TestDatabase database, String query) {
    Map<String, List<String>> groups = new TreeMap<>();
    try (Connection connection = database.connect();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(query)) {
      while (row.next()) {
        if (row.getString(2).contains(MARK)) {
          groups.computeIfAbsent(row.getString(1), g -> new ArrayList<>()).add(row.getString(2));
        }
      }
    } catch (SQLException e) {
      throw new AssertionError(query, e);
    }
    return new Snapshot(groups);
  }

  /** Both, the other's messages behind ours in each group. */
  Snapshot followedBy(Snapshot later) {
    Map<String, List<String>> both = new TreeMap<>();
    groups.forEach((group, payloads) -> both.put(group, new ArrayList<>(payloads)));
    later.groups.forEach(
        (group, payloads) -> both.computeIfAbsent(group, g -> new ArrayList<>()).addAll(payloads));
    return new Snapshot(both);
  }

  int messages() {
    return groups.values().stream().mapToInt(List::size).sum();
  }

  List<String> of(String group) {
    return groups.getOrDefault(group, List.of());
  }

  Snapshot without(Collection<String> names) {
    Map<String, List<String>> rest = new TreeMap<>(groups);
    rest.keySet().removeAll(names);
    return new Snapshot(rest);
  }

  Snapshot only(Collection<String> names) {
    Map<String, List<String>> rest = new TreeMap<>(groups);
    rest.keySet().retainAll(names);
    return new Snapshot(rest);
  }

  Set<String> payloads() {
    Set<String> all = new HashSet<>();
    groups.values().forEach(all::addAll);
    return all;
  }

  /** Says which groups differ, not all that are equal. */
  void assertEquals(Snapshot expected) {
    Map<String, List<String>> differing = new TreeMap<>();
    Set<String> names = new HashSet<>(groups.keySet());
    names.addAll(expected.groups.keySet());
    for (String name : names) {
      if (!of(name).equals(expected.of(name))) {
        differing.put(name, of(name));
      }
    }
    assertThat(differing)
        .as("groups that differ, of %d", names.size())
        .isEqualTo(expected.only(differing.keySet()).groups);
  }
}
