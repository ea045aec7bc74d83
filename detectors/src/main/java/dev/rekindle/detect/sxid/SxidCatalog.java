package dev.rekindle.detect.sxid;

import dev.rekindle.detect.CodeTable;
import java.util.List;
import java.util.SortedSet;

/**
 * The meaning of every known SXid, from the data file {@code sxid-catalog.csv} beside this class.
 */
public final class SxidCatalog {
  private static final List<String> COLUMNS =
      List.of("code", "mnemonic", "block", "recommended_action", "cordon", "note");

  private final CodeTable<SxidEntry> table;

  private SxidCatalog(CodeTable<SxidEntry> table) {
    this.table = table;
  }

  /** The catalogue that ships with this version. */
  public static SxidCatalog load() {
    return new SxidCatalog(
        CodeTable.load(SxidCatalog.class, "sxid-catalog.csv", COLUMNS, SxidCatalog::entry));
  }

  private static SxidEntry entry(CodeTable.Row row) {
    return new SxidEntry(
        row.code(),
        row.text("mnemonic"),
        row.text("block"),
        row.text("recommended_action"),
        row.fence(),
        row.text("note"),
        true);
  }

  /** What the code means; an entry that says so when the catalogue does not hold it. */
  public SxidEntry lookup(int code) {
    return table.lookup(code, SxidEntry::unknown);
  }

  /** Every code that the catalogue holds, in order. */
  public SortedSet<Integer> codes() {
    return table.codes();
  }
}
