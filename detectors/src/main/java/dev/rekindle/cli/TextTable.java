package dev.rekindle.cli;

import java.util.List;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;

/** Rows of text with their columns below each other, for a terminal. */
public final class TextTable {
  private static final String GAP = "  ";

  private TextTable() {}

  /**
   * Text of others in one line of a terminal: control characters, and those that turn the direction
   * of writing, are not printed.
   */
  public static String printable(String text) {
    return text.replaceAll("[\\p{Cc}\\p{Cf}\\u2028\\u2029]", "?");
  }

  /** All columns to the left. */
  public static String left(List<List<String>> rows) {
    return of(rows, _ -> true);
  }

  /**
   * Columns of words to the left, columns of figures to the right. The first column and the first
   * row, which names the columns, count for words.
   */
  public static String aligned(List<List<String>> rows) {
    return of(
        rows,
        column ->
            column == 0
                || rows.stream()
                    .skip(1)
                    .map(row -> row.get(column))
                    .anyMatch(cell -> !cell.isEmpty() && Character.isLetter(cell.charAt(0))));
  }

  private static String of(List<List<String>> rows, IntPredicate isLeft) {
    var columns = IntStream.range(0, rows.getFirst().size());
    var formats =
        columns
            .mapToObj(
                column -> {
                  var width = rows.stream().mapToInt(row -> row.get(column).length()).max();
                  var most = width.orElse(0);
                  return most == 0 ? "%s" : "%" + (isLeft.test(column) ? "-" : "") + most + "s";
                })
            .toList();
    var line = String.join(GAP, formats);
    var text = new StringBuilder();
    for (var row : rows) {
      text.append(line.formatted(row.toArray()).stripTrailing()).append('\n');
    }
    return text.toString();
  }
}
