package dev.sluice.queue.harel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.model.HarelClaim;
import dev.sluice.model.HarelEvent;
import dev.sluice.model.HarelFailed;
import dev.sluice.model.HarelGroup;
import dev.sluice.model.HarelMessage;
import dev.sluice.model.HarelModel;
import dev.sluice.model.HarelReceipt;
import dev.sluice.model.HarelUnderTest;
import dev.sluice.model.HarelUnderTest.Capability;
import dev.sluice.model.HarelUnderTest.Rejection;
import dev.sluice.model.HarelUnderTest.Return;
import dev.sluice.queue.Message;
import dev.sluice.queue.MessageJson;
import dev.sluice.queue.harel.HarelStep.NewEvent;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/**
 * Tables and their model living the same life. Each step is done to both, then every answer and
 * every row is compared. Steps that the transport cannot do are left out.
 */
final class HarelLife implements AutoCloseable {
  private static final double NOON = 1_800_000_000.5;
  private static final long NO_SEQ = 4_000_000_000L;

  private final HarelArena arena;
  private final HarelModel model;
  private final List<HarelUnderTest> processes;
  private final Set<Capability> capabilities;
  private final List<HarelReceipt> receipts = new ArrayList<>();
  private final Set<String> tokens = new HashSet<>();
  private double now = NOON;
  private long lastSeq;
  private int published;

  HarelLife(HarelArena arena) throws SQLException {
    this.arena = arena;
    this.processes =
        IntStream.range(0, HarelLives.PROCESSES).mapToObj(i -> arena.open(this::now)).toList();
    this.capabilities = processes.get(0).capabilities();
    this.model =
        new HarelModel(arena.groupOrder(HarelLives.GROUPS), can(Capability.EVERY_PRIORITY));
    receipts.add(new HarelReceipt("g", 1, "nobody:00000000000000000000000000000000"));
  }

  private double now() {
    return now;
  }

  private boolean can(Capability capability) {
    return capabilities.contains(capability);
  }

  void perform(HarelStep step) throws SQLException {
    if (step instanceof HarelStep.Publish s) {
      publish(s.process(), List.of(s.event()), true);
    } else if (step instanceof HarelStep.PublishBatch s) {
      publish(s.process(), s.events(), false);
    } else if (step instanceof HarelStep.Claim s) {
      claim(s);
    } else if (step instanceof HarelStep.Ack s) {
      ack(s, s.process(), picked(s.picks()));
    } else if (step instanceof HarelStep.Nack s) {
      nack(s);
    } else if (step instanceof HarelStep.Reject s && can(Capability.QUARANTINE)) {
      reject(s, s.process(), picked(s.picks()), s.error());
    } else if (step instanceof HarelStep.Extend s && can(Capability.EXTEND)) {
      extend(s);
    } else if (step instanceof HarelStep.SettleOther s && can(Capability.SEQ_FENCE)) {
      settleOther(s);
    } else if (step instanceof HarelStep.Requeue s && can(Capability.QUARANTINE)) {
      requeue(s);
    } else if (step instanceof HarelStep.Foreign s) {
      foreign(s);
    } else if (step instanceof HarelStep.Tick s) {
      now += s.seconds();
    }
    compareEverything(step);
  }

  private void publish(int process, List<NewEvent> news, boolean single) throws SQLException {
    List<HarelEvent> events =
        news.stream().map(e -> new HarelEvent(e.group(), text(e.group()), e.priority())).toList();
    if (single) {
      processes.get(process).publish(events.get(0));
    } else {
      processes.get(process).publishBatch(events);
    }
    assertPublished(events);
  }

  /** A payload of ours, so that whatever reads it finds a message in it. */
  private String text(String group) {
    Message message = Message.of("m" + ++published, "https://t.example/hook");
    return MessageJson.write(group.isEmpty() ? message : message.withGroup(group));
  }

  /** The database numbers the messages; those of a group must be numbered in their order. */
  private void assertPublished(List<HarelEvent> events) throws SQLException {
    long before = lastSeq;
    List<HarelMessage> found = arena.messages().stream().filter(m -> m.seq() > before).toList();
    assertThat(byGroup(found, HarelMessage::group, HarelMessage::event))
        .as("what a publish added")
        .isEqualTo(byGroup(events, HarelEvent::group, HarelEvent::event));
    Map<String, Integer> priorities = new LinkedHashMap<>();
    events.forEach(event -> priorities.putIfAbsent(event.group(), event.priority()));
    for (HarelMessage message : found) {
      model.publish(message, priorities.getOrDefault(message.group(), 0));
      lastSeq = message.seq();
    }
  }

  private static <T> Map<String, List<String>> byGroup(
      List<T> all, Function<T, String> group, Function<T, String> event) {
    Map<String, List<String>> groups = new LinkedHashMap<>();
    for (T one : all) {
      groups.computeIfAbsent(group.apply(one), g -> new ArrayList<>()).add(event.apply(one));
    }
    return groups;
  }

  private void claim(HarelStep.Claim s) {
    List<HarelClaim> claims =
        processes.get(s.process()).claim(s.worker(), s.visibility(), s.minPriority(), s.max());
    String token = claims.isEmpty() ? "none" : claims.get(0).receipt().token();

    assertThat(claims)
        .as("%s", s)
        .isEqualTo(model.claim(token, s.visibility(), s.minPriority(), s.max(), now));
    if (!claims.isEmpty()) {
      assertThat(token).as("token of %s", s).matches(Pattern.quote(s.worker()) + ":[0-9a-f]{32}");
      assertThat(tokens.add(token)).as("a token of its own for %s", s).isTrue();
      claims.forEach(claim -> receipts.add(claim.receipt()));
    }
  }

  private void ack(HarelStep step, int process, List<HarelReceipt> picked) {
    Set<HarelReceipt> expected = model.ack(picked, now);

    Set<HarelReceipt> stale = processes.get(process).ack(picked);

    if (can(Capability.ACK_ANSWERS)) {
      assertThat(stale).as("stale to %s", step).isEqualTo(expected);
    }
  }

  private void nack(HarelStep.Nack s) {
    List<Return> returns =
        picked(s.picks()).stream().map(receipt -> new Return(receipt, s.delay())).toList();
    Set<HarelReceipt> expected = model.nack(s.process(), returns, now);

    assertThat(processes.get(s.process()).nack(returns)).as("stale to %s", s).isEqualTo(expected);
  }

  private void reject(HarelStep step, int process, List<HarelReceipt> picked, String error) {
    List<Rejection> rejections =
        picked.stream().map(receipt -> new Rejection(receipt, error)).toList();
    Set<HarelReceipt> expected = model.reject(rejections, now);

    assertThat(processes.get(process).reject(rejections))
        .as("stale to %s", step)
        .isEqualTo(expected);
  }

  private void extend(HarelStep.Extend s) {
    List<HarelReceipt> picked = picked(s.picks());
    Set<HarelReceipt> expected = model.extend(s.process(), picked, s.visibility(), now);

    assertThat(processes.get(s.process()).extend(picked, s.visibility()))
        .as("stale to %s", s)
        .isEqualTo(expected);
  }

  private void settleOther(HarelStep.SettleOther s) {
    HarelReceipt held = receipt(s.pick());
    List<Long> others =
        model.messages().stream()
            .filter(message -> !message.group().equals(held.group()))
            .map(HarelMessage::seq)
            .toList();
    long seq = others.isEmpty() ? NO_SEQ : others.get(s.message() % others.size());
    HarelReceipt other = new HarelReceipt(held.group(), seq, held.token());
    List<HarelReceipt> crossed = s.withOwn() ? List.of(other, held) : List.of(other);
    if (s.reject() && can(Capability.QUARANTINE)) {
      reject(s, s.process(), crossed, "of another group");
    } else {
      ack(s, s.process(), crossed);
    }
  }

  private void requeue(HarelStep.Requeue s) {
    List<Long> seqs = new ArrayList<>(model.failed().stream().map(HarelFailed::seq).toList());
    seqs.add(NO_SEQ);
    List<Long> picked =
        s.picks().stream().map(pick -> seqs.get(pick % seqs.size())).distinct().toList();
    int expected = model.requeue(picked);

    assertThat(processes.get(s.process()).requeue(picked)).as("%s", s).isEqualTo(expected);
  }

  private void foreign(HarelStep.Foreign s) throws SQLException {
    Double expiry = s.lapsesIn() == null ? null : Double.valueOf(now + s.lapsesIn());
    HarelGroup group = new HarelGroup(s.group(), s.lockedBy(), expiry, s.priority());
    arena.put(group);
    model.put(group);
    for (int i = 0; i < s.messages(); i++) {
      HarelMessage message = arena.insert(s.group(), text(s.group()));
      model.put(message);
      lastSeq = message.seq();
    }
  }

  // One receipt of a claim at most: which of two messages a claim settles first is left open.
  private List<HarelReceipt> picked(Collection<Integer> picks) {
    Map<List<String>, HarelReceipt> picked = new LinkedHashMap<>();
    for (int pick : picks) {
      HarelReceipt receipt = receipt(pick);
      picked.putIfAbsent(List.of(receipt.group(), receipt.token()), receipt);
    }
    return List.copyOf(picked.values());
  }

  private HarelReceipt receipt(int pick) {
    return receipts.get(receipts.size() - 1 - pick % receipts.size());
  }

  private void compareEverything(HarelStep after) throws SQLException {
    assertThat(arena.messages()).as("messages after %s", after).isEqualTo(model.messages());
    assertThat(arena.groups())
        .as("groups after %s", after)
        .containsExactlyInAnyOrderElementsOf(model.groups());
    assertThat(arena.failed()).as("quarantine after %s", after).isEqualTo(model.failed());
  }

  @Override
  public void close() {
    processes.forEach(HarelUnderTest::close);
  }
}
