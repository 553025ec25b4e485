package dev.sluice.cli;

import dev.sluice.queue.Message;
import dev.sluice.queue.Queue;
import dev.sluice.queue.QueueRow;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;

/** Publishes messages in batches and minds their order. Counts may be read by other threads. */
final class Publisher {
  private static final Duration LOOK_AGAIN = Duration.ofMillis(50);

  private final Queue queue;
  private final boolean keepOrder;
  private final Consumer<String> warn;
  private final PublishOrder order;
  private final boolean orderIsKept;
  private boolean warned;
  private final LongAdder published = new LongAdder();
  private final LongAdder existed = new LongAdder();

  /**
   * @param keepOrder whether to wait for the next second where an order would be lost otherwise
   * @param warn is told of the first order that is lost
   */
  Publisher(Queue queue, boolean keepOrder, Consumer<String> warn) {
    this.queue = queue;
    this.keepOrder = keepOrder;
    this.warn = warn;
    this.order = new PublishOrder(ids -> queue.admin().previewPublish(ids).orElseThrow());
    this.orderIsKept = queue.admin().previewPublish(List.of()).isEmpty();
  }

  /** Publishes the messages in their order. */
  void publish(List<Message> messages) throws InterruptedException {
    if (orderIsKept) {
      queue.publishBatch(messages);
      published.add(messages.size());
      return;
    }
    List<Message> rest = messages;
    while (!rest.isEmpty()) {
      PublishOrder.Forecast forecast = order.forecast(rest);
      int now = keepOrder ? forecast.ordered() : rest.size();
      if (now == 0) {
        Thread.sleep(LOOK_AGAIN.toMillis());
        continue;
      }
      if (!keepOrder) {
        forecast.descent().ifPresent(this::warnOnce);
      }
      write(rest.subList(0, now), forecast.existing().subList(0, now));
      rest = rest.subList(now, rest.size());
    }
  }

  private void write(List<Message> messages, List<Boolean> existing) {
    queue.insertBatch(messages.stream().map(m -> new QueueRow(queue.identifier(), m)).toList());
    order.written(messages, existing);
    long held = existing.stream().filter(Boolean::booleanValue).count();
    existed.add(held);
    published.add(messages.size() - held);
  }

  private void warnOnce(PublishOrder.Descent descent) {
    if (!warned) {
      warned = true;
      warn.accept(
          "warning: ids of group '%s' do not ascend within a second: '%s' was published before '%s' and will be delivered after it; --keep-order prevents that"
              .formatted(descent.group(), descent.first(), descent.second()));
    }
  }

  /** How many messages are new in the queue. */
  long published() {
    return published.sum();
  }

  /**
   * How many messages the queue held already, and which were left alone; empty where ids are not
   * kept apart, so that each is new.
   */
  OptionalLong existed() {
    return orderIsKept ? OptionalLong.empty() : OptionalLong.of(existed.sum());
  }

  /** How many messages it is done with. */
  long done() {
    return published.sum() + existed.sum();
  }
}
