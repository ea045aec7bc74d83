package dev.rekindle.controller.doctor;

import dev.rekindle.cli.TextTable;
import java.util.List;

/** Checks as text: a line each, and one more for what to do. */
public final class CheckTable {
  private CheckTable() {}

  /** What a name or a value holds of control characters is not printed. */
  public static String of(List<Check> checks) {
    int width = checks.stream().mapToInt(c -> c.name().length()).max().orElse(1);
    var text = new StringBuilder();
    for (Check check : checks) {
      String name = check.name() + " ".repeat(width - check.name().length());
      line(text, "%s  %-7s  %s".formatted(name, check.status().word(), check.detail()));
      if (!check.advice().isEmpty()) {
        line(text, "  -> " + check.advice());
      }
    }
    return text.toString();
  }

  private static void line(StringBuilder text, String line) {
    text.append(TextTable.printable(line)).append('\n');
  }
}
