package dev.sluice.cli;

import dev.sluice.queue.DispatchMode;
import dev.sluice.queue.Message;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;

/** A day of a shop: what happens to each order, in turn, and mails that belong to none. */
final class DemoOrders {
  static final int ORDERS = 600;
  static final int MAILS = 200;
  static final List<String> STEPS = List.of("placed", "paid", "packed", "shipped", "arrived");

  private static final long SEED = 20261129;
  private static final int DAY_SECONDS = 86_400;
  private static final int LONGEST_STEP_SECONDS = 14_400;

  private record At(int second, Message message) {}

  private DemoOrders() {}

  /** The messages in the order in which they happen; the same each time. */
  static List<Message> day(String target) {
    Random random = new Random(SEED);
    List<At> day = new ArrayList<>();
    for (int order = 1; order <= ORDERS; order++) {
      int second = random.nextInt(DAY_SECONDS);
      for (int step = 1; step <= STEPS.size(); step++) {
        day.add(new At(second, step(order, step, target)));
        second += 1 + random.nextInt(LONGEST_STEP_SECONDS);
      }
    }
    for (int mail = 1; mail <= MAILS; mail++) {
      day.add(new At(random.nextInt(DAY_SECONDS), Message.of("mail-%03d".formatted(mail), target)));
    }
    day.sort(Comparator.comparingInt(At::second));
    return day.stream().map(At::message).toList();
  }

  private static Message step(int order, int step, String target) {
    String group = "order-%04d".formatted(order);
    return Message.of("%s-%d-%s".formatted(group, step, STEPS.get(step - 1)), target)
        .withGroup(group)
        .withMode(DispatchMode.NEXT_ON_ERROR);
  }
}
