package dev.rekindle.detect;

import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Function;

/**
 * What each code of a driver means, from a table of comma-separated values.
 *
 * @param <E> what is known of a code
 */
public final class CodeTable<E> {
  private final Map<Integer, E> entries;

  private CodeTable(Map<Integer, E> entries) {
    this.entries = Map.copyOf(entries);
  }

  /**
   * One row.
   *
   * @param columns what its fields are called
   * @param fields as many
   */
  public record Row(List<String> columns, List<String> fields) {
    /** The field of that column. */
    public String text(String column) {
      return fields.get(columns.indexOf(column));
    }

    /** Column {@code code}. */
    public int code() {
      return Integer.parseInt(text("code"));
    }

    /** Column {@code cordon}: yes, threshold or no. */
    public FenceGuidance fence() {
      return switch (text("cordon")) {
        case "yes" -> FenceGuidance.ALWAYS;
        case "threshold" -> FenceGuidance.THRESHOLD;
        case "no" -> FenceGuidance.NEVER;
        default -> throw new IllegalArgumentException("cordon of " + fields + " is no known word");
      };
    }
  }

  /**
   * The table that ships beside a class.
   *
   * @throws IllegalArgumentException as {@link #parse} does
   */
  public static <E> CodeTable<E> load(
      Class<?> beside, String file, List<String> columns, Function<Row, E> entry) {
    try (var data = beside.getResourceAsStream(file)) {
      if (data == null) {
        throw new IllegalStateException(file + " is missing from the jar");
      }
      return parse(new String(data.readAllBytes(), StandardCharsets.UTF_8), columns, entry);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Reads a table.
   *
   * @param columns what the first row must say
   * @throws IllegalArgumentException naming the row and what is wrong with it
   */
  public static <E> CodeTable<E> parse(String csv, List<String> columns, Function<Row, E> entry) {
    var rows = new Csv(csv);
    rows.skipComments();
    if (!fields(rows).filter(columns::equals).isPresent()) {
      throw new IllegalArgumentException("the first row is not " + String.join(",", columns));
    }
    Map<Integer, E> entries = new HashMap<>();
    for (var fields = fields(rows); fields.isPresent(); fields = fields(rows)) {
      if (fields.get().size() != columns.size()) {
        throw new IllegalArgumentException(
            "a row has " + fields.get().size() + " fields: " + fields.get());
      }
      var row = new Row(columns, fields.get());
      if (entries.put(row.code(), entry.apply(row)) != null) {
        throw new IllegalArgumentException("code " + row.code() + " comes twice");
      }
    }
    return new CodeTable<>(entries);
  }

  /** Fields of the next row; empty at the end. */
  private static Optional<List<String>> fields(Csv rows) {
    return rows.next()
        .map(
            row -> {
              if (!row.trouble().isEmpty()) {
                throw new IllegalArgumentException("line " + row.line() + ": " + row.trouble());
              }
              return row.fields();
            });
  }

  /** What is known of the code; otherwise, where the table does not hold it. */
  public E lookup(int code, Function<Integer, E> otherwise) {
    var entry = entries.get(code);
    return entry == null ? otherwise.apply(code) : entry;
  }

  /** Every code that the table holds, in order. */
  public SortedSet<Integer> codes() {
    return new TreeSet<>(entries.keySet());
  }
}
