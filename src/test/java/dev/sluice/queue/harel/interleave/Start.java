package dev.sluice.queue.harel.interleave;

import java.util.List;

/**
 * Rows that operations meet in: groups {@code a} and {@code b}, their messages {@code a1}, {@code
 * b2} and so on, their holders {@code t1} and {@code t2}.
 */
record Start(String name, State state) {
  static final Start NOTHING = new Start("nothing", State.empty());
  static final Start EMPTY_ROW = new Start("an empty row", State.empty().free("a"));
  static final Start FREE = new Start("a free group", State.empty().free("a", 1, 3));
  static final Start TWO_FREE =
      new Start("two free groups", State.empty().free("a", 1).free("b", 2));
  static final Start LAST = new Start("the last message leased", leased(1));
  static final Start MORE = new Start("a message leased and one behind it", leased(1, 3));
  static final Start TWO_LEASED = new Start("two groups leased", leased(1).leased("b", "t2", 2));
  static final Start LAPSED =
      new Start("the last message's lease lapsed", State.empty().lapsed("a", "t1", 1));
  static final Start LAPSED_MORE =
      new Start("a lapsed lease and one behind it", State.empty().lapsed("a", "t1", 1, 3));

  static final Start STRANDED =
      new Start("a message in a group without a row", State.empty().stranded("a", 1));
  static final Start QUARANTINED =
      new Start("a message in quarantine", State.empty().quarantined("a", 1));
  static final Start QUARANTINED_BESIDE_LAST =
      new Start(
          "a message in quarantine, another leased",
          State.empty().leased("a", "t1", 1).quarantined("a", 5));

  /** Those in which nothing is wrong and nothing in quarantine. */
  static final List<Start> ALL =
      List.of(NOTHING, EMPTY_ROW, FREE, TWO_FREE, LAST, MORE, TWO_LEASED, LAPSED, LAPSED_MORE);

  static final Message A1 = new Message("a", 1, "a1");
  static final Message A5 = new Message("a", 5, "a5");
  static final Message B2 = new Message("b", 2, "b2");

  private static State leased(long... seqs) {
    return State.empty().leased("a", "t1", seqs);
  }

  @Override
  public String toString() {
    return name;
  }
}
