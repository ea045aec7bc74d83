package dev.rekindle.simulator.replay;

import static dev.rekindle.simulator.replay.Durations.rounded;
import static java.util.stream.Collectors.joining;

import dev.rekindle.cli.TextTable;
import gg.jte.ContentType;
import gg.jte.TemplateEngine;
import gg.jte.output.StringOutput;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** A comparison for people: every figure with what it hangs on. Words and tables are a template. */
final class ReplayReport {
  private static final TemplateEngine ENGINE =
      TemplateEngine.createPrecompiled(
          null, ContentType.Plain, null, ReplayReport.class.getPackageName());

  /** Lines with tabs are the rows of a table. No text of a user has one. */
  private static final Pattern TABLE = Pattern.compile("(?m)(?:^.*\\t.*\\n)+");

  private ReplayReport() {}

  static String of(Comparison comparison) {
    return TABLE
        .matcher(render("report.jte", comparison))
        .replaceAll(table -> Matcher.quoteReplacement(aligned(table.group())));
  }

  /** What {@code src/main/jte} describes, with its figures. Nothing is escaped. */
  static String render(String template, Object figures) {
    StringOutput out = new StringOutput();
    ENGINE.render(template, figures, out);
    return out.toString();
  }

  private static String aligned(String rows) {
    return TextTable.aligned(rows.lines().map(row -> List.of(row.split("\t", -1))).toList());
  }

  static String row(Object... cells) {
    return Stream.of(cells).map(String::valueOf).collect(joining("\t"));
  }

  /** A row with a figure of each world. */
  static String row(Comparison comparison, String what, Function<Result, Object> figure) {
    return what + "\t" + row(comparison.worlds().stream().map(figure).toArray());
  }

  /** How many recoveries of each kind. */
  static String counts(Result result, Function<Result.Ended, String> kind) {
    String counts =
        result.recoveries(kind).entrySet().stream()
            .map(count -> count.getKey() + " " + count.getValue())
            .collect(joining(", "));
    return counts.isEmpty() ? "none" : counts;
  }

  static String percent(double ratio) {
    return rounded(ratio * 100, 2) + " %";
  }

  static String hours(Result result, Duration time) {
    return rounded(result.gpuHours(time), 0);
  }

  static String rough(Optional<Duration> time) {
    return time.map(Durations::rough).orElse("-");
  }
}
