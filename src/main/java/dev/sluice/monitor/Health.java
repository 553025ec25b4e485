package dev.sluice.monitor;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.delivery.BreakerStatus;
import dev.sluice.router.RouterStatus;
import dev.sluice.router.RouterStatus.FlushedGroup;
import dev.sluice.router.RouterStatus.PoolStatus;
import dev.sluice.router.RouterStatus.QueueStatus;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * What the health paths answer. The words are those of Spring Boot, for the probes that know them:
 * UP, DOWN, OUT_OF_SERVICE; the two latter come with 503.
 */
final class Health {
  /** How many of what messages bring in are listed at most. */
  private static final int LISTED = 1_000;

  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

  private Health() {}

  /** Whether the process is of use: a router that was started answers. */
  static Answer live(View view) {
    return view instanceof View.Silent ? brief("DOWN", reasons(view)) : brief("UP", List.of());
  }

  /** Whether it takes messages in and settles them, on every queue. */
  static Answer ready(View view) {
    return brief(status(view), reasons(view));
  }

  /**
   * All that there is to know.
   *
   * @param breakers empty when they are not known
   */
  static Answer detail(View view, Optional<List<BreakerStatus>> breakers, String version) {
    String status = status(view);
    ObjectNode json = JSON.objectNode();
    json.put("status", status);
    json.set("reasons", strings(reasons(view)));
    json.put("version", version);
    json.set(
        "inPipeline",
        view.answered().map(RouterStatus::inPipeline).map(JSON::numberNode).orElse(null));
    json.set("pools", view.answered().map(Health::pools).orElse(null));
    json.set("queues", view.answered().map(Health::queues).orElse(null));
    Optional<List<BreakerStatus>> open =
        breakers.map(all -> all.stream().filter(BreakerStatus::open).toList());
    json.set("openBreakerCount", open.map(List::size).map(JSON::numberNode).orElse(null));
    json.set("openBreakers", open.map(Health::breakers).orElse(null));
    return Answer.json(code(status), json.toString());
  }

  private static Answer brief(String status, List<String> reasons) {
    ObjectNode json = JSON.objectNode();
    json.put("status", status);
    json.set("reasons", strings(reasons));
    return Answer.json(code(status), json.toString());
  }

  private static int code(String status) {
    return status.equals("UP") ? Answer.OK : Answer.UNAVAILABLE;
  }

  private static String status(View view) {
    if (view instanceof View.Starting) {
      return "OUT_OF_SERVICE";
    }
    if (view.answered().map(RouterStatus::stopping).orElse(false)) {
      return "OUT_OF_SERVICE";
    }
    return reasons(view).isEmpty() ? "UP" : "DOWN";
  }

  private static List<String> reasons(View view) {
    if (view instanceof View.Starting) {
      return List.of("the router has not started: it waits for its database");
    }
    if (view instanceof View.Seen seen) {
      return reasons(seen.status());
    }
    return List.of("the router does not answer");
  }

  private static List<String> reasons(RouterStatus status) {
    List<String> reasons = new ArrayList<>();
    if (status.stopping()) {
      reasons.add("the router is stopping");
    }
    for (QueueStatus queue : sorted(status.queues(), Comparator.comparing(QueueStatus::queue))) {
      String name = "queue '" + Shown.queue(queue.queue()) + "': ";
      if (!queue.polled()) {
        reasons.add(name + "no poll has succeeded since the start or the last failure");
      }
      if (!queue.settling()) {
        reasons.add(name + "settlements do not reach the database");
      }
    }
    return reasons;
  }

  private static ArrayNode pools(RouterStatus status) {
    ArrayNode pools = JSON.arrayNode();
    for (PoolStatus pool : sorted(status.pools(), Comparator.comparing(PoolStatus::code))) {
      ObjectNode json = pools.addObject();
      json.put("code", pool.code());
      json.put("concurrency", pool.concurrency());
      if (pool.perMinute().isPresent()) {
        json.put("rateLimitPerMinute", pool.perMinute().getAsInt());
      } else {
        json.putNull("rateLimitPerMinute");
      }
      json.put("buffered", pool.buffered());
      json.put("capacity", pool.capacity());
      json.put("active", pool.active());
      json.put("groups", pool.groups());
    }
    return pools;
  }

  private static ArrayNode queues(RouterStatus status) {
    ArrayNode queues = JSON.arrayNode();
    for (QueueStatus queue : sorted(status.queues(), Comparator.comparing(QueueStatus::queue))) {
      ObjectNode json = queues.addObject();
      json.put("queue", Shown.queue(queue.queue()));
      json.put("ready", queue.isReady());
      json.put("polled", queue.polled());
      json.put("settling", queue.settling());
      json.put("unsettled", queue.unsettled());
      json.put("held", queue.held());
      json.put("flushedGroupCount", queue.flushed().size());
      ArrayNode groups = json.putArray("flushedGroups");
      for (FlushedGroup group :
          sorted(queue.flushed(), Comparator.comparing(FlushedGroup::group))) {
        groups
            .addObject()
            .put("group", Shown.group(group.group()))
            .put("secondsLeft", group.left().toMillis() / 1_000.0);
      }
    }
    return queues;
  }

  private static ArrayNode breakers(List<BreakerStatus> open) {
    ArrayNode breakers = JSON.arrayNode();
    for (BreakerStatus breaker : sorted(open, Comparator.comparing(BreakerStatus::target))) {
      ObjectNode json = breakers.addObject();
      json.put("target", Shown.target(breaker.target()));
      json.put("succeeded", breaker.succeeded());
      json.put("failed", breaker.failed());
      json.put("refused", breaker.refused());
    }
    return breakers;
  }

  private static ArrayNode strings(List<String> values) {
    ArrayNode array = JSON.arrayNode();
    values.forEach(array::add);
    return array;
  }

  private static <T> List<T> sorted(List<T> values, Comparator<T> order) {
    return values.stream().sorted(order).limit(LISTED).toList();
  }
}
