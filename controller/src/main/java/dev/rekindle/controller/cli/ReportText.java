package dev.rekindle.controller.cli;

import dev.rekindle.cli.TextTable;
import dev.rekindle.detect.Csv;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collector;
import java.util.stream.Collectors;

/**
 * A report as text. Names come from objects that tenants write: in CSV none begins as a formula, in
 * Markdown none ends its cell or becomes a link.
 */
public final class ReportText {
  private ReportText() {}

  /** As kubectl prints tables, the notes below. */
  public static String table(Report report) {
    var table = new Table(ReportRow.head(report));
    all(report).forEach(row -> table.add(row.cells(report)));
    return table.text()
        + "\n"
        + lines(report).stream().map(line -> TextTable.printable(line) + "\n").collect(joined());
  }

  /**
   * As RFC 4180 has it, with {@code \r\n}; the notes are left out, since spreadsheets take rows.
   */
  public static String csv(Report report) {
    return rows(report, ReportText::csvCell, ",", "", "\r\n");
  }

  /** A table and a list of the notes. */
  public static String markdown(Report report) {
    List<String> rule = ReportRow.head(report).stream().map(_ -> "---").toList();
    String table = rows(report, ReportText::markdownCell, " | ", "| ", " |\n");
    int second = table.indexOf('\n') + 1;
    return table.substring(0, second)
        + "| "
        + String.join(" | ", rule)
        + " |\n"
        + table.substring(second)
        + "\n"
        + lines(report).stream().map(line -> "- " + markdownCell(line) + "\n").collect(joined());
  }

  private static Collector<CharSequence, ?, String> joined() {
    return Collectors.joining();
  }

  private static String rows(
      Report report, Function<String, String> cell, String between, String before, String after) {
    List<List<String>> rows = new ArrayList<>();
    rows.add(ReportRow.head(report));
    all(report).forEach(row -> rows.add(row.cells(report)));
    return rows.stream()
        .map(row -> row.stream().map(cell).collect(Collectors.joining(between, before, after)))
        .collect(joined());
  }

  private static List<ReportRow> all(Report report) {
    List<ReportRow> all = new ArrayList<>(report.rows());
    all.add(report.total());
    return all;
  }

  private static List<String> lines(Report report) {
    List<String> lines = new ArrayList<>();
    lines.add(
        "From %s to %s"
            .formatted(
                report.from().truncatedTo(ChronoUnit.SECONDS),
                report.until().truncatedTo(ChronoUnit.SECONDS)));
    if (report.ofJobs()) {
      lines.add("ETTR is of the whole time of the jobs that are listed, not of the period alone");
    }
    lines.addAll(report.notes());
    return lines;
  }

  /** What a spreadsheet would take for a formula gets an apostrophe, which it takes for text. */
  private static String csvCell(String text) {
    String printable = TextTable.printable(text);
    boolean formula = !printable.isEmpty() && "=+-@".indexOf(printable.charAt(0)) >= 0;
    return Csv.escape(formula ? "'" + printable : printable);
  }

  private static String markdownCell(String text) {
    return TextTable.printable(text).replaceAll("[\\\\`*_{}\\[\\]<>()#+!|~&]", "\\\\$0");
  }
}
