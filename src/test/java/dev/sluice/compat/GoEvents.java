package dev.sluice.compat;

import dev.sluice.queue.legacy.History;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** What one run of the Go program did, oldest first. */
record GoEvents(List<GoEvent> all) {

  List<GoEvent.Published> published() {
    return all.stream().flatMap(event -> event.published().stream()).toList();
  }

  List<GoEvent.Claim> claimed() {
    return all.stream().flatMap(event -> event.claimed().stream()).toList();
  }

  /** The ids that it has deleted. */
  List<String> acked() {
    return all.stream().filter(GoEvent::acked).map(GoEvent::settledId).toList();
  }

  /** What it had claimed and not settled, as far as it could say. */
  Set<String> unsettled() {
    Set<String> ids = new LinkedHashSet<>();
    for (GoEvent event : all) {
      event.claimed().forEach(claim -> ids.add(claim.id()));
      if (!event.kind().equals("poll")) {
        ids.remove(event.settledId());
      }
    }
    return ids;
  }

  /** Writes it all down beside what others did to the same queue. */
  void addTo(History history, String queue) {
    all.forEach(event -> event.addTo(history, queue));
  }
}
