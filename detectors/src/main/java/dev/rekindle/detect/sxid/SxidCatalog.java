package dev.rekindle.detect.sxid;

import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.detect.Csv;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The meaning of every known SXid, from the data file {@code sxid-catalog.csv} beside this class.
 */
public final class SxidCatalog {
  private static final List<String> COLUMNS =
      List.of("code", "mnemonic", "block", "recommended_action", "cordon", "note");

  private final Map<Integer, SxidEntry> entries;

  private SxidCatalog(Map<Integer, SxidEntry> entries) {
    this.entries = Map.copyOf(entries);
  }

  /** The catalogue that ships with this version. */
  public static SxidCatalog load() {
    try (var data = SxidCatalog.class.getResourceAsStream("sxid-catalog.csv")) {
      if (data == null) {
        throw new IllegalStateException("sxid-catalog.csv is missing from the jar");
      }
      return parse(new String(data.readAllBytes(), StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Reads a catalogue.
   *
   * @throws IllegalArgumentException naming the row and what is wrong with it
   */
  static SxidCatalog parse(String csv) {
    var rows = Csv.parse(csv);
    if (rows.isEmpty() || !rows.getFirst().equals(COLUMNS)) {
      throw new IllegalArgumentException("the first row is not " + String.join(",", COLUMNS));
    }
    var entries = new TreeMap<Integer, SxidEntry>();
    for (var row : rows.subList(1, rows.size())) {
      if (row.size() != COLUMNS.size()) {
        throw new IllegalArgumentException("a row has " + row.size() + " fields: " + row);
      }
      var entry = entry(row);
      if (entries.put(entry.code(), entry) != null) {
        throw new IllegalArgumentException("code " + entry.code() + " comes twice");
      }
    }
    return new SxidCatalog(entries);
  }

  private static SxidEntry entry(List<String> row) {
    var fence =
        switch (row.get(4)) {
          case "yes" -> FenceGuidance.ALWAYS;
          case "threshold" -> FenceGuidance.THRESHOLD;
          case "no" -> FenceGuidance.NEVER;
          default -> throw new IllegalArgumentException("cordon of " + row + " is no known word");
        };
    return new SxidEntry(
        Integer.parseInt(row.get(0)), row.get(1), row.get(2), row.get(3), fence, row.get(5), true);
  }

  /** What the code means; an entry that says so when the catalogue does not hold it. */
  public SxidEntry lookup(int code) {
    var entry = entries.get(code);
    return entry == null ? SxidEntry.unknown(code) : entry;
  }

  /** Every code that the catalogue holds, in order. */
  public SortedSet<Integer> codes() {
    return new TreeSet<>(entries.keySet());
  }
}
