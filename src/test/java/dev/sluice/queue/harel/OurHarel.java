package dev.sluice.queue.harel;

import dev.sluice.model.HarelClaim;
import dev.sluice.model.HarelEvent;
import dev.sluice.model.HarelNames;
import dev.sluice.model.HarelReceipt;
import dev.sluice.model.HarelUnderTest;
import dev.sluice.queue.Delivery;
import dev.sluice.queue.FailedFilter;
import dev.sluice.queue.Receipt;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.DoubleSupplier;
import java.util.stream.Collectors;
import javax.sql.DataSource;

/** {@link HarelQueue} as the contracts drive it: a queue for each worker and visibility timeout. */
final class OurHarel implements HarelUnderTest {
  private record Key(String worker, double visibility) {}

  private final DataSource dataSource;
  private final String tables;
  private final DoubleSupplier epochSeconds;
  private final long quickNanos;
  private final Map<Key, HarelQueue> queues = new ConcurrentHashMap<>();

  /** Walks over the groups from the front, each time. */
  OurHarel(DataSource dataSource, HarelNames names, DoubleSupplier epochSeconds) {
    this(dataSource, names, epochSeconds, Long.MAX_VALUE);
  }

  OurHarel(DataSource dataSource, HarelNames names, DoubleSupplier epochSeconds, long quickNanos) {
    this.dataSource = dataSource;
    this.tables = names.tables();
    this.epochSeconds = epochSeconds;
    this.quickNanos = quickNanos;
  }

  private HarelQueue queue(String worker, double visibility) {
    return queues.computeIfAbsent(new Key(worker, visibility), this::open);
  }

  private HarelQueue open(Key key) {
    HarelQueue.Builder builder =
        HarelQueue.builder(dataSource)
            .worker(key.worker())
            .visibility(duration(key.visibility()))
            .eventTarget("http://target.example/")
            .quickNanos(quickNanos)
            .clock(epochSeconds);
    return (tables.isEmpty() ? builder : builder.prefix(tables.substring(0, tables.length() - 1)))
        .build();
  }

  // Whoever settles, extends or publishes: any queue of this process does.
  private HarelQueue any() {
    return queues.values().stream().findFirst().orElseGet(() -> queue("any", 30));
  }

  private static Duration duration(double seconds) {
    return Duration.ofNanos(Math.round(seconds * 1e9));
  }

  @Override
  public void publish(HarelEvent event) {
    publishBatch(List.of(event));
  }

  @Override
  public void publishBatch(List<HarelEvent> events) {
    any()
        .publishEvents(
            events.stream().map(e -> new Event(e.group(), e.event(), e.priority())).toList());
  }

  @Override
  public List<HarelClaim> claim(String worker, double visibility, int minPriority, int max) {
    return queue(worker, visibility).poll(max, minPriority).deliveries().stream()
        .map(OurHarel::claimOf)
        .toList();
  }

  private static HarelClaim claimOf(Delivery delivery) {
    Claim claim = Claim.of(delivery.receipt()).orElseThrow();
    return new HarelClaim(
        new HarelReceipt(claim.group(), claim.seq(), claim.token()), delivery.payload());
  }

  private static Receipt receipt(HarelReceipt receipt) {
    return new Claim(receipt.seq(), receipt.token(), receipt.group()).receipt();
  }

  private static List<Receipt> receipts(List<HarelReceipt> receipts) {
    return receipts.stream().map(OurHarel::receipt).toList();
  }

  private static Set<HarelReceipt> stale(Collection<Receipt> stale) {
    return stale.stream()
        .map(r -> Claim.of(r).orElseThrow())
        .map(c -> new HarelReceipt(c.group(), c.seq(), c.token()))
        .collect(Collectors.toSet());
  }

  @Override
  public Set<HarelReceipt> ack(List<HarelReceipt> receipts) {
    return stale(any().ackBatch(receipts(receipts)));
  }

  // A process has one queue: what one of them parked, no other one extends.
  @Override
  public Set<HarelReceipt> nack(List<Return> returns) {
    return stale(
        any()
            .nackBatch(
                returns.stream()
                    .map(
                        r -> new dev.sluice.queue.Return(receipt(r.receipt()), duration(r.delay())))
                    .toList()));
  }

  @Override
  public Set<HarelReceipt> reject(List<Rejection> rejections) {
    return stale(
        any()
            .rejectBatch(
                rejections.stream()
                    .map(r -> new dev.sluice.queue.Rejection(receipt(r.receipt()), r.error()))
                    .toList()));
  }

  @Override
  public Set<HarelReceipt> extend(List<HarelReceipt> receipts, double visibility) {
    return stale(any().extendVisibility(receipts(receipts), duration(visibility)));
  }

  @Override
  public int requeue(Collection<Long> seqs) {
    if (seqs.isEmpty()) {
      return 0;
    }
    return any()
        .admin()
        .requeueFailed(new FailedFilter(seqs.stream().map(String::valueOf).toList(), null, null))
        .requeued();
  }

  @Override
  public void close() {
    queues.values().forEach(HarelQueue::close);
  }
}
