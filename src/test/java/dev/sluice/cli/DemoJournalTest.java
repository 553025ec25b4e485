package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.queue.Message;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class DemoJournalTest {
  private final List<Message> published =
      Stream.of("g1", "g2", "g3").map(id -> Message.of(id, "http://t/").withGroup("g")).toList();
  private final DemoJournal journal = new DemoJournal(published);

  private DemoJournal.Proof afterSeeing(String... ids) {
    Stream.of(ids).forEach(journal::saw);
    return journal.proof();
  }

  @Test
  void allInOrderHolds() {
    DemoJournal.Proof proof = afterSeeing("g1", "g2", "g3");

    assertThat(proof.holds()).isTrue();
    assertThat(proof.delivered()).isEqualTo(3);
  }

  @Test
  void aMessageNeverSeenIsLost() {
    assertThat(afterSeeing("g1", "g2").lost()).isEqualTo(1);
  }

  @Test
  void aMessageSeenTwiceIsARepeat() {
    assertThat(afterSeeing("g1", "g1", "g2", "g3").repeats()).isEqualTo(1);
  }

  @Test
  void aMessageSeenBeforeItsElderIsOutOfOrder() {
    assertThat(afterSeeing("g2", "g1", "g3").outOfOrder()).isEqualTo(1);
  }

  @Test
  void theDayHasTroublesOfEachKindAndIdsThatAscendInEachGroup() {
    List<Message> day = DemoOrders.day("http://t/");
    Map<String, String> last = new HashMap<>();
    Set<DemoAnswer> answers = new HashSet<>();
    for (int place = 0; place < day.size(); place++) {
      answers.add(DemoAnswer.to(place, 0));
      String id = day.get(place).id();
      day.get(place)
          .messageGroupId()
          .ifPresent(
              group -> {
                String before = last.put(group, id);
                assertThat(before == null ? "" : before).isLessThan(id);
              });
    }
    assertThat(answers).containsExactlyInAnyOrder(DemoAnswer.values());
    assertThat(day).hasSize(3200);
    assertThat(day).isEqualTo(DemoOrders.day("http://t/"));
  }
}
