package dev.rekindle.simulator.replay;

import dev.rekindle.cli.UsageException;
import dev.rekindle.detect.Csv;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Reads a trace from an untrusted source. Columns are found by their names in the first row. A row
 * that is wrong is left out and reported; a file in which no row is good is refused.
 */
final class TraceReader {
  static final long MAX_BYTES = 64L << 20;
  static final int MAX_ROWS = 1_000_000;
  static final int MAX_TROUBLES = 20;

  /** Ten years: more is a mistake in the unit. */
  static final double MAX_DAYS = 3660;

  private static final Pattern NAME =
      Pattern.compile("[A-Za-z0-9]([A-Za-z0-9._-]{0,251}[A-Za-z0-9])?");

  private static final List<String> COLUMNS =
      List.of("node", "start_day", "end_day", "level", "class", "description");

  private final List<Outage> good = new ArrayList<>();
  private final List<String> troubles = new ArrayList<>();
  private int bad;

  private TraceReader() {}

  /**
   * Reads a file.
   *
   * @throws UsageException when it is too big, cannot be read, or has no good row
   */
  static Trace read(Path file) throws UsageException {
    byte[] bytes;
    try (InputStream in = Files.newInputStream(file)) {
      bytes = in.readNBytes((int) MAX_BYTES + 1);
    } catch (IOException e) {
      throw UsageException.of(file + " cannot be read", e);
    }
    if (bytes.length > MAX_BYTES) {
      throw new UsageException(file + " is bigger than " + (MAX_BYTES >> 20) + " MiB");
    }
    return parse(new String(bytes, StandardCharsets.UTF_8), file.toString());
  }

  /**
   * Reads text.
   *
   * @param name what it is called in refusals
   * @throws UsageException when it has no good row
   */
  static Trace parse(String text, String name) throws UsageException {
    return parse(text, name, MAX_ROWS);
  }

  static Trace parse(String text, String name, int maxRows) throws UsageException {
    TraceReader reader = new TraceReader();
    Csv csv = new Csv(text);
    Csv.Row header = csv.next().orElseThrow(() -> new UsageException(name + " is empty"));
    Map<String, Integer> columns = columns(header, name);
    int rows = 0;
    for (Optional<Csv.Row> row = csv.next(); row.isPresent(); row = csv.next()) {
      if (++rows > maxRows) {
        throw new UsageException(
            "%s has more than %d rows (line %d)".formatted(name, maxRows, row.get().line()));
      }
      reader.add(row.get(), columns, header.fields().size());
    }
    if (reader.good.isEmpty()) {
      String why = reader.troubles.isEmpty() ? "it has no rows" : reader.troubles.getFirst();
      throw new UsageException("%s has no good row: %s".formatted(name, why));
    }
    return Trace.of(reader.good, reader.bad, reader.troubles);
  }

  private static Map<String, Integer> columns(Csv.Row header, String name) throws UsageException {
    if (!header.trouble().isEmpty()) {
      throw new UsageException("%s, line %d: %s".formatted(name, header.line(), header.trouble()));
    }
    Map<String, Integer> columns = new HashMap<>();
    for (int i = 0; i < header.fields().size(); i++) {
      columns.putIfAbsent(header.fields().get(i).strip().toLowerCase(Locale.ROOT), i);
    }
    List<String> missing = COLUMNS.stream().filter(c -> !columns.containsKey(c)).toList();
    if (!missing.isEmpty()) {
      throw new UsageException(
          "%s, line %d: no column %s in the header"
              .formatted(name, header.line(), String.join(", ", missing)));
    }
    return columns;
  }

  private void add(Csv.Row row, Map<String, Integer> columns, int width) {
    try {
      if (!row.trouble().isEmpty()) {
        throw new IllegalArgumentException(row.trouble());
      }
      if (row.fields().size() != width) {
        throw new IllegalArgumentException(
            "%d fields where the header has %d".formatted(row.fields().size(), width));
      }
      good.add(outage(row.fields(), columns));
    } catch (IllegalArgumentException e) {
      bad++;
      if (troubles.size() < MAX_TROUBLES) {
        troubles.add("line %d: %s".formatted(row.line(), e.getMessage()));
      }
    }
  }

  private static Outage outage(List<String> fields, Map<String, Integer> columns) {
    String node = field(fields, columns, "node");
    if (!NAME.matcher(node).matches()) {
      throw new IllegalArgumentException(
          node.isEmpty() ? "no node" : "not the name of a node: " + shown(node));
    }
    double start = day(fields, columns, "start_day");
    double end = day(fields, columns, "end_day");
    if (end < start) {
      throw new IllegalArgumentException(
          "end_day %s is before start_day %s"
              .formatted(
                  shown(field(fields, columns, "end_day")),
                  shown(field(fields, columns, "start_day"))));
    }
    return new Outage(
        node,
        Outage.days(start),
        Outage.days(end),
        field(fields, columns, "level"),
        field(fields, columns, "class"),
        field(fields, columns, "description"));
  }

  private static double day(List<String> fields, Map<String, Integer> columns, String column) {
    String text = field(fields, columns, column);
    double day;
    try {
      day = Double.parseDouble(text);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(
          "%s is not a number: %s".formatted(column, shown(text)), e);
    }
    if (!(day >= 0 && day <= MAX_DAYS)) {
      throw new IllegalArgumentException(
          "%s is not between 0 and %.0f: %s".formatted(column, MAX_DAYS, shown(text)));
    }
    return day;
  }

  private static String field(List<String> fields, Map<String, Integer> columns, String column) {
    Integer index = columns.get(column);
    return index == null ? "" : fields.get(index).strip();
  }

  /** A stranger's text, short and without characters that a terminal would obey. */
  static String shown(String text) {
    String clean = text.replaceAll("\\P{Print}", "?");
    return '"' + (clean.length() <= 40 ? clean : clean.substring(0, 37) + "...") + '"';
  }
}
