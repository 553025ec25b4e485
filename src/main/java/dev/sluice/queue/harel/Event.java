package dev.sluice.queue.harel;

/**
 * What Python workers call an event, to be published.
 *
 * @param group the group that it belongs to
 * @param text its JSON
 * @param priority 0 to 4; counts only where it is the first of its group
 */
public record Event(String group, String text, int priority) {
  public Event {
    if (priority < 0 || priority > 4) {
      throw new IllegalArgumentException("priority: must be 0 to 4, was " + priority);
    }
  }

  /** Leaves out the text, which may hold secrets. */
  @Override
  public String toString() {
    return "Event[group=" + group + ", priority=" + priority + "]";
  }
}
