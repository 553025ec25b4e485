package dev.sluice.monitor;

/** Names as they are shown to everyone. */
final class Shown {
  /** Longer ones tell nobody more, and there may be thousands. */
  private static final int LONGEST = 300;

  private Shown() {}

  /**
   * A queue's name as the Go router labels it: what follows the last slash. A queue without a name
   * of its own is named by its URI: what could be a password in it is not shown.
   */
  static String queue(String name) {
    if (name.contains("://")) {
      String bare = name.replaceFirst("(?s)/*(?:[?#].*)?$", "");
      String end = bare.substring(bare.lastIndexOf('/') + 1);
      return cut(end.substring(end.lastIndexOf('@') + 1));
    }
    int slash = name.lastIndexOf('/');
    return cut(slash == name.length() - 1 ? name : name.substring(slash + 1));
  }

  /** A target, which comes without user info and query, but from a message. */
  static String target(String url) {
    return cut(url);
  }

  /** A group, which comes from a message. */
  static String group(String group) {
    return cut(group);
  }

  private static String cut(String text) {
    return text.length() <= LONGEST ? text : text.substring(0, LONGEST) + "...";
  }
}
