package dev.sluice.model;

import dev.sluice.queue.FailedFilter;
import dev.sluice.queue.MessageJson;
import dev.sluice.queue.QueueMetrics;
import dev.sluice.queue.QueueRow;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The table {@code queue_messages} and its quarantine in memory: what each operation does to them.
 *
 * <p>Time is an argument, in unix seconds. Receipts are the model's own and name the claim; the
 * caller keeps what the real ones are. Ids are compared only by the order given. Not thread-safe.
 */
public final class LegacyModel {
  private static final int LONGEST_ERROR = 1000;
  private static final long DEFAULT_VISIBILITY = 30;

  private record Key(String queue, String id) {}

  private final Comparator<LegacyRow> oldestFirst;
  private final long visibility;
  private final boolean exclusiveGroups;
  private final Predicate<String> malformed;
  private final Map<Key, LegacyRow> table = new LinkedHashMap<>();
  private final Map<Key, FailedRow> quarantine = new LinkedHashMap<>();
  private int polls;

  /**
   * @param idOrder how the database sorts the id column
   * @param visibilitySeconds how long a claim holds; zero and less mean 30
   * @param malformed whether a payload is no message
   */
  public LegacyModel(
      Comparator<String> idOrder,
      long visibilitySeconds,
      boolean exclusiveGroups,
      Predicate<String> malformed) {
    this.oldestFirst =
        Comparator.comparingLong(LegacyRow::createdAt).thenComparing(LegacyRow::id, idOrder);
    this.visibility = visibilitySeconds <= 0 ? DEFAULT_VISIBILITY : visibilitySeconds;
    this.exclusiveGroups = exclusiveGroups;
    this.malformed = malformed;
  }

  /** What a poll did. */
  public record Polled(List<LegacyRow> delivered, int taken, int quarantined) {}

  /** What a requeue did. */
  public record Requeued(int requeued, List<String> inTheWay) {}

  /** Puts rows into the table as they are. */
  public void load(Collection<LegacyRow> rows) {
    rows.forEach(row -> table.put(new Key(row.queue(), row.id()), row));
  }

  /** What is in the table. */
  public List<LegacyRow> rows() {
    return List.copyOf(table.values());
  }

  /** What is in quarantine. */
  public List<FailedRow> failed() {
    return List.copyOf(quarantine.values());
  }

  /** Publishes; an id that waits already is left alone, its own batch included. */
  public List<String> insertBatch(List<QueueRow> batch, long now) {
    for (QueueRow row : batch) {
      String id = row.message().id();
      table.putIfAbsent(
          new Key(row.queue(), id),
          new LegacyRow(
              row.queue(),
              id,
              row.message().messageGroupIdOrNull(),
              null,
              now,
              MessageJson.write(row.message()),
              now,
              0));
    }
    return batch.stream().map(row -> row.message().id()).toList();
  }

  /** What a poll would claim, in its order. */
  public List<LegacyRow> claimable(String queue, int max, long now) {
    return table.values().stream()
        .filter(row -> row.queue().equals(queue) && row.visible(now))
        .filter(row -> groupOf(row).stream().noneMatch(other -> blocks(other, row, now)))
        .sorted(oldestFirst)
        .limit(max)
        .toList();
  }

  private List<LegacyRow> groupOf(LegacyRow row) {
    return table.values().stream()
        .filter(other -> other.queue().equals(row.queue()))
        .filter(other -> other.claimGroup().equals(row.claimGroup()))
        .toList();
  }

  private boolean blocks(LegacyRow other, LegacyRow row, long now) {
    return other.inFlight(now) ? exclusiveGroups : oldestFirst.compare(other, row) < 0;
  }

  /** Claims; malformed rows go to quarantine. */
  public Polled poll(String queue, int max, long now) {
    String poll = "poll" + ++polls;
    List<LegacyRow> delivered = new ArrayList<>();
    int quarantined = 0;
    for (LegacyRow row : claimable(queue, max, now)) {
      int receives = row.receives() == null ? 1 : row.receives() + 1;
      LegacyRow claimed = row.with(poll + ":" + row.id(), now + visibility, receives);
      if (malformed.test(row.payload())) {
        quarantine(claimed, null, now);
        quarantined++;
      } else {
        table.put(new Key(queue, row.id()), claimed);
        delivered.add(claimed);
      }
    }
    return new Polled(delivered, delivered.size() + quarantined, quarantined);
  }

  /** Deletes the row that the claim holds; false if it holds none. */
  public boolean ack(String queue, String receipt) {
    Optional<LegacyRow> held = held(queue, receipt);
    held.ifPresent(row -> table.remove(new Key(queue, row.id())));
    return held.isPresent();
  }

  /** Nack and defer: hands the row back, visible after the delay; false if the claim holds none. */
  public boolean handBack(String queue, String receipt, long delaySeconds, long now) {
    Optional<LegacyRow> held = held(queue, receipt);
    held.ifPresent(row -> replace(row.with(null, now + delaySeconds, row.receives())));
    return held.isPresent();
  }

  /** Moves the row to quarantine; false if the claim holds none. */
  public boolean reject(String queue, String receipt, String reason, long now) {
    Optional<LegacyRow> held = held(queue, receipt);
    held.ifPresent(row -> quarantine(row, cut(reason), now));
    return held.isPresent();
  }

  /** Lets the claim lapse {@code seconds} from now; false if it holds none. */
  public boolean extend(String queue, String receipt, long seconds, long now) {
    Optional<LegacyRow> held = held(queue, receipt);
    held.ifPresent(row -> replace(row.with(receipt, now + seconds, row.receives())));
    return held.isPresent();
  }

  /** Puts quarantined rows back where they were; those whose id is back already stay. */
  public Requeued requeue(String queue, FailedFilter filter, long now) {
    List<String> inTheWay = new ArrayList<>();
    List<FailedRow> chosen = chosen(queue, filter);
    for (FailedRow row : chosen) {
      Key key = new Key(queue, row.id());
      if (table.containsKey(key)) {
        inTheWay.add(row.id());
      } else {
        quarantine.remove(key);
        table.put(
            key,
            new LegacyRow(
                queue, row.id(), row.group(), null, now, row.payload(), row.createdAt(), 0));
      }
    }
    return new Requeued(chosen.size() - inTheWay.size(), inTheWay);
  }

  /** Deletes quarantined rows; says how many. */
  public int discard(String queue, FailedFilter filter) {
    List<FailedRow> chosen = chosen(queue, filter);
    chosen.forEach(row -> quarantine.remove(new Key(queue, row.id())));
    return chosen.size();
  }

  /** The counts of one queue. */
  public QueueMetrics metrics(String queue, long now) {
    return new QueueMetrics(
        count(queue, row -> row.receipt() == null && row.visible(now)),
        count(queue, row -> row.receipt() == null && !row.visible(now)),
        count(queue, row -> row.inFlight(now)),
        count(queue, row -> row.receipt() != null && row.visible(now)),
        quarantine.keySet().stream().filter(key -> key.queue().equals(queue)).count());
  }

  private long count(String queue, Predicate<LegacyRow> state) {
    return table.values().stream().filter(row -> row.queue().equals(queue)).filter(state).count();
  }

  // A claim that has lapsed still holds its row until another poll takes it.
  private Optional<LegacyRow> held(String queue, String receipt) {
    return table.values().stream()
        .filter(row -> row.queue().equals(queue) && receipt.equals(row.receipt()))
        .findFirst();
  }

  private void replace(LegacyRow row) {
    table.put(new Key(row.queue(), row.id()), row);
  }

  private void quarantine(LegacyRow row, @Nullable String error, long now) {
    Key key = new Key(row.queue(), row.id());
    table.remove(key);
    quarantine.put(
        key,
        new FailedRow(
            row.queue(),
            row.id(),
            row.group(),
            row.payload(),
            error,
            row.receives(),
            row.createdAt(),
            now));
  }

  private List<FailedRow> chosen(String queue, FailedFilter filter) {
    return quarantine.values().stream()
        .filter(row -> row.queue().equals(queue))
        .filter(row -> filter.ids().isEmpty() || filter.ids().contains(row.id()))
        .filter(row -> filter.group().map(group -> group.equals(row.group())).orElse(true))
        .filter(row -> filter.reason().map(reason -> contains(row, reason)).orElse(true))
        .toList();
  }

  private static boolean contains(FailedRow row, String reason) {
    return row.error() != null
        && row.error().toLowerCase(Locale.ROOT).contains(reason.toLowerCase(Locale.ROOT));
  }

  private static String cut(String reason) {
    return reason.length() <= LONGEST_ERROR ? reason : reason.substring(0, LONGEST_ERROR);
  }
}
