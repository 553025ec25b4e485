package dev.sluice.cli;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;

/** Rows under headings, in columns as wide as what stands in them. Not thread-safe. */
final class TextTable {
  private static final String GAP = "  ";

  private final List<String> headings;
  private final List<List<String>> rows = new ArrayList<>();

  /**
   * @param headings one that begins with {@code >} has its column set to the right
   */
  TextTable(String... headings) {
    this.headings = List.of(headings);
  }

  /** Adds a row of as many cells as there are headings. */
  void row(Object... cells) {
    List<String> row = new ArrayList<>();
    for (Object cell : cells) {
      row.add(Printable.text(String.valueOf(cell)));
    }
    rows.add(row);
  }

  /** Writes headings and rows, without blanks at the ends of lines. */
  void print(PrintStream out) {
    List<String> titles =
        headings.stream().map(h -> h.startsWith(">") ? h.substring(1) : h).toList();
    int[] widths = new int[titles.size()];
    for (int i = 0; i < widths.length; i++) {
      widths[i] = width(titles.get(i));
      for (List<String> row : rows) {
        widths[i] = Math.max(widths[i], width(row.get(i)));
      }
    }
    print(out, titles, widths);
    rows.forEach(row -> print(out, row, widths));
  }

  private void print(PrintStream out, List<String> cells, int[] widths) {
    StringBuilder line = new StringBuilder();
    for (int i = 0; i < widths.length; i++) {
      String padding = " ".repeat(widths[i] - width(cells.get(i)));
      boolean right = headings.get(i).startsWith(">");
      line.append(i == 0 ? "" : GAP)
          .append(right ? padding : "")
          .append(cells.get(i))
          .append(right ? "" : padding);
    }
    out.println(line.toString().stripTrailing());
  }

  private static int width(String text) {
    return text.codePointCount(0, text.length());
  }
}
