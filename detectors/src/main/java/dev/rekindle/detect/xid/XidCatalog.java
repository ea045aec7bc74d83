package dev.rekindle.detect.xid;

import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.detect.Csv;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;

/** The meaning of every known XID, from the data file {@code xid-catalog.csv} beside this class. */
public final class XidCatalog {
  private static final List<String> COLUMNS =
      List.of(
          "code",
          "name",
          "mnemonic_or_empty",
          "origin",
          "severity",
          "scope",
          "recommended_action",
          "cordon",
          "note",
          "source");

  private final Map<Integer, XidEntry> entries;

  private XidCatalog(Map<Integer, XidEntry> entries) {
    this.entries = Map.copyOf(entries);
  }

  /** The catalogue that ships with this version. */
  public static XidCatalog load() {
    try (var data = XidCatalog.class.getResourceAsStream("xid-catalog.csv")) {
      if (data == null) {
        throw new IllegalStateException("xid-catalog.csv is missing from the jar");
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
  static XidCatalog parse(String csv) {
    var rows = Csv.parse(csv);
    if (rows.isEmpty() || !rows.getFirst().equals(COLUMNS)) {
      throw new IllegalArgumentException("the first row is not " + String.join(",", COLUMNS));
    }
    var entries = new HashMap<Integer, XidEntry>();
    for (var row : rows.subList(1, rows.size())) {
      if (row.size() != COLUMNS.size()) {
        throw new IllegalArgumentException("a row has " + row.size() + " fields: " + row);
      }
      var entry = entry(row);
      if (entries.put(entry.code(), entry) != null) {
        throw new IllegalArgumentException("code " + entry.code() + " comes twice");
      }
    }
    return new XidCatalog(entries);
  }

  private static XidEntry entry(List<String> row) {
    var fence =
        switch (row.get(7)) {
          case "yes" -> FenceGuidance.ALWAYS;
          case "threshold" -> FenceGuidance.THRESHOLD;
          case "no" -> FenceGuidance.NEVER;
          default -> throw new IllegalArgumentException("cordon of " + row + " is no known word");
        };
    return new XidEntry(
        Integer.parseInt(row.get(0)),
        row.get(1),
        row.get(2),
        row.get(3),
        row.get(4),
        row.get(5),
        row.get(6),
        fence,
        row.get(8),
        true);
  }

  /** What the code means; an entry that says so when the catalogue does not hold it. */
  public XidEntry lookup(int code) {
    var entry = entries.get(code);
    return entry == null ? XidEntry.unknown(code) : entry;
  }

  /** Every code that the catalogue holds, in order. */
  public SortedSet<Integer> codes() {
    return new TreeSet<>(entries.keySet());
  }
}
