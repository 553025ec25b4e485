package dev.sluice.router;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Every message of one queue that this process holds, by its key in the table. */
final class InFlightRegister {
  private final Map<String, Held> byId = new HashMap<>();

  Optional<Held> find(String id) {
    return Optional.ofNullable(byId.get(id));
  }

  void add(Held message) {
    byId.put(message.id(), message);
  }

  void remove(Held message) {
    byId.remove(message.id(), message);
  }

  int size() {
    return byId.size();
  }

  boolean isEmpty() {
    return byId.isEmpty();
  }

  Collection<Held> all() {
    return byId.values();
  }

  /**
   * The messages whose claim lapses by then, and with them all others of their claim groups: a
   * later message must not lapse before an earlier one.
   */
  List<Held> lapsingBy(long nanos) {
    Set<String> groups = new HashSet<>();
    for (Held message : byId.values()) {
      if (message.lapsesAt() - nanos <= 0) {
        groups.add(message.delivery().claimGroup());
      }
    }
    List<Held> lapsing = new ArrayList<>();
    for (Held message : byId.values()) {
      if (groups.contains(message.delivery().claimGroup())) {
        lapsing.add(message);
      }
    }
    return lapsing;
  }
}
