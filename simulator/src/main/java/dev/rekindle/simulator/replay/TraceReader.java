package dev.rekindle.simulator.replay;

import dev.rekindle.cli.UsageException;
import dev.rekindle.detect.Csv;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Reads a trace from an untrusted source. Columns are found by their names in the first row. A row
 * that is wrong is left out and reported; a file in which no row is good is refused.
 */
final class TraceReader {
  static final long MAX_BYTES = 64L << 20;
  static final int MAX_ROWS = 1_000_000;
  static final int MAX_PROBLEMS = 20;

  /** Ten years: more is a mistake in the unit. */
  static final double MAX_DAYS = 3660;

  private static final Pattern NAME =
      Pattern.compile("[A-Za-z0-9]([A-Za-z0-9._-]{0,251}[A-Za-z0-9])?");

  private static final List<String> COLUMNS =
      List.of("node", "start_day", "end_day", "level", "class", "description");

  private final List<String> header;
  private final List<Outage> good = new ArrayList<>();
  private final List<String> problems = new ArrayList<>();
  private int bad;

  private TraceReader(Csv.Row header, String name) throws UsageException {
    this.header = header.fields().stream().map(c -> c.strip().toLowerCase(Locale.ROOT)).toList();
    List<String> missing = COLUMNS.stream().filter(c -> !this.header.contains(c)).toList();
    if (!header.trouble().isEmpty() || !missing.isEmpty()) {
      String why = "no column " + String.join(", ", missing) + " in the header";
      throw new UsageException(
          "%s, line %d: %s"
              .formatted(name, header.line(), header.trouble().isEmpty() ? why : header.trouble()));
    }
  }

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
    return parse(new String(bytes, StandardCharsets.UTF_8), file.toString(), MAX_ROWS);
  }

  /**
   * Reads text.
   *
   * @param name what it is called in refusals
   * @param maxRows how many rows it may have
   * @throws UsageException when it has no good row
   */
  static Trace parse(String text, String name, int maxRows) throws UsageException {
    Csv csv = new Csv(text);
    Csv.Row header = csv.next().orElseThrow(() -> new UsageException(name + " is empty"));
    TraceReader reader = new TraceReader(header, name);
    int rows = 0;
    for (Optional<Csv.Row> row = csv.next(); row.isPresent(); row = csv.next()) {
      if (++rows > maxRows) {
        throw new UsageException(
            "%s has more than %d rows (line %d)".formatted(name, maxRows, row.get().line()));
      }
      reader.add(row.get());
    }
    if (reader.good.isEmpty()) {
      String why = reader.problems.isEmpty() ? "it has no rows" : reader.problems.getFirst();
      throw new UsageException("%s has no good row: %s".formatted(name, why));
    }
    return Trace.of(reader.good, reader.bad, reader.problems);
  }

  private void add(Csv.Row row) {
    try {
      check(row.trouble().isEmpty(), row.trouble());
      int width = row.fields().size();
      check(
          width == header.size(),
          "%d fields where the header has %d".formatted(width, header.size()));
      good.add(outage(row.fields()));
    } catch (IllegalArgumentException e) {
      bad++;
      if (problems.size() < MAX_PROBLEMS) {
        problems.add("line %d: %s".formatted(row.line(), e.getMessage()));
      }
    }
  }

  private Outage outage(List<String> fields) {
    String node = field(fields, "node");
    check(!node.isEmpty(), "no node");
    check(NAME.matcher(node).matches(), "not the name of a node: " + shown(node));
    double start = day(fields, "start_day");
    double end = day(fields, "end_day");
    check(
        end >= start,
        "end_day %s is before start_day %s"
            .formatted(shown(field(fields, "end_day")), shown(field(fields, "start_day"))));
    return new Outage(
        node,
        Durations.ofDays(start),
        Durations.ofDays(end),
        field(fields, "level"),
        field(fields, "class"),
        field(fields, "description"));
  }

  private double day(List<String> fields, String column) {
    String text = field(fields, column);
    double day;
    try {
      day = Double.parseDouble(text);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(column + " is not a number: " + shown(text), e);
    }
    check(
        day >= 0 && day <= MAX_DAYS,
        "%s is not between 0 and %.0f: %s".formatted(column, MAX_DAYS, shown(text)));
    return day;
  }

  private String field(List<String> fields, String column) {
    return fields.get(header.indexOf(column)).strip();
  }

  private static void check(boolean good, String otherwise) {
    if (!good) {
      throw new IllegalArgumentException(otherwise);
    }
  }

  /** Untrusted text, short and without characters that a terminal would obey. */
  static String shown(String text) {
    String clean = printable(text);
    return '"' + (clean.length() <= 40 ? clean : clean.substring(0, 37) + "...") + '"';
  }

  static String printable(String text) {
    return text.replaceAll("\\P{Print}", "?");
  }
}
