package dev.rekindle.controller.cli;

import dev.rekindle.cli.TextTable;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Rows as kubectl prints them: columns as wide as their widest cell, three spaces between. */
public final class Table {
  private static final String GAP = "   ";

  private final List<List<String>> rows = new ArrayList<>();

  /** One with that head. */
  public Table(List<String> head) {
    rows.add(head);
  }

  /** Adds a row; an empty cell is printed as {@code <none>}, a control character as {@code ?}. */
  public void add(List<String> cells) {
    if (cells.size() != rows.getFirst().size()) {
      throw new IllegalArgumentException(
          "%d cells in a table of %d columns".formatted(cells.size(), rows.getFirst().size()));
    }
    rows.add(cells.stream().map(Table::cell).toList());
  }

  private static String cell(String text) {
    return text.isEmpty() ? "<none>" : TextTable.printable(text);
  }

  /** Each row in a line. */
  public String text() {
    return rows.stream().map(row -> line(row) + "\n").collect(Collectors.joining());
  }

  private String line(List<String> row) {
    var line = new StringBuilder();
    for (int column = 0; column < row.size(); column++) {
      String cell = row.get(column);
      line.append(cell);
      if (column < row.size() - 1) {
        line.append(" ".repeat(width(column) - cell.length())).append(GAP);
      }
    }
    return line.toString();
  }

  private int width(int column) {
    return rows.stream().mapToInt(row -> row.get(column).length()).max().orElse(0);
  }
}
