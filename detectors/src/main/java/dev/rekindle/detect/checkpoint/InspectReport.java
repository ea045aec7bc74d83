package dev.rekindle.detect.checkpoint;

import dev.rekindle.cli.TextTable;
import dev.rekindle.detect.checkpoint.json.JsonText;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/** What {@code rekindle inspect} prints. */
final class InspectReport {
  private static final int LONGEST_CELL = 40;
  private static final List<String> HEAD =
      List.of("", "STEP", "FORMAT", "SIZE", "AGE", "VERDICT", "LEVEL", "PATH", "REASON");

  private InspectReport() {}

  /** A table, newest first; the chosen one has an arrow. */
  static String table(Scanner.Result result, Choice choice, Instant now) {
    var rows = new ArrayList<List<String>>();
    rows.add(HEAD);
    all(result).forEach(found -> rows.add(row(found, choice, now)));
    var text = new StringBuilder();
    if (rows.size() > 1) {
      text.append(TextTable.left(rows));
    }
    text.append(
        choice
            .chosen()
            .map(one -> "resume from step " + one.step() + ": " + choice.message())
            .orElse("resume from none: " + choice.message()));
    return text.append('\n').toString();
  }

  private static List<String> row(Found found, Choice choice, Instant now) {
    var verdict = found.verdict();
    return List.of(
        isChosen(found, choice) ? "->" : "",
        found.step().isPresent() ? Long.toString(found.step().getAsLong()) : "-",
        found.format(),
        size(found.bytes()),
        found.modified().equals(Instant.EPOCH) ? "-" : age(Duration.between(found.modified(), now)),
        verdict.kind().word(),
        verdict.level().name(),
        cell(found.name()),
        printable(verdict.reason()));
  }

  private static boolean isChosen(Found found, Choice choice) {
    return choice.chosen().filter(one -> one.path().equals(found.path())).isPresent();
  }

  /** One object. */
  static String json(Scanner.Result result, Choice choice) {
    var json = new StringBuilder("{\"checkpoints\": [");
    var separator = "";
    var chosen = "null";
    for (var found : all(result).toList()) {
      var object = object(found);
      json.append(separator).append(object);
      separator = ", ";
      if (isChosen(found, choice)) {
        chosen = object;
      }
    }
    json.append("], \"chosen\": ").append(chosen).append(", \"message\": ");
    JsonText.string(json, choice.message());
    return json.append("}\n").toString();
  }

  private static String object(Found found) {
    var json = new StringBuilder("{\"step\": ");
    json.append(found.step().isPresent() ? Long.toString(found.step().getAsLong()) : "null");
    field(json, "path", found.path());
    field(json, "format", found.format());
    field(json, "verdict", found.verdict().kind().word());
    field(json, "level", found.verdict().level().name());
    field(json, "reason", found.verdict().reason());
    json.append(", \"bytes\": ").append(found.bytes());
    field(json, "modified", found.modified().toString());
    return json.append('}').toString();
  }

  private static void field(StringBuilder json, String name, String value) {
    json.append(", \"").append(name).append("\": ");
    JsonText.string(json, value);
  }

  private static Stream<Found> all(Scanner.Result result) {
    return Stream.concat(result.checkpoints().stream(), result.stepless().stream());
  }

  static String size(long bytes) {
    if (bytes < 1024) {
      return bytes + " B";
    }
    var units = "KMGTPE";
    var unit = (63 - Long.numberOfLeadingZeros(bytes)) / 10;
    return String.format(
        Locale.ROOT, "%.1f %siB", bytes / Math.pow(1024, unit), units.charAt(unit - 1));
  }

  /** In two units; what was written after now has no age. */
  static String age(Duration age) {
    var seconds = Math.max(0, age.toSeconds());
    if (seconds < 60) {
      return seconds + "s";
    }
    if (seconds < 3_600) {
      return seconds / 60 + "m" + seconds % 60 + "s";
    }
    return seconds < 86_400
        ? seconds / 3_600 + "h" + seconds % 3_600 / 60 + "m"
        : seconds / 86_400 + "d" + seconds % 86_400 / 3_600 + "h";
  }

  private static String cell(String text) {
    var shown = printable(text);
    return shown.length() <= LONGEST_CELL ? shown : shown.substring(0, LONGEST_CELL - 3) + "...";
  }

  private static String printable(String text) {
    return text.replaceAll("[^ -~]", "?");
  }
}
