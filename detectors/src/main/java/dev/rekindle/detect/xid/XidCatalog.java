package dev.rekindle.detect.xid;

import dev.rekindle.detect.CodeTable;
import java.util.List;
import java.util.SortedSet;

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

  private final CodeTable<XidEntry> table;

  private XidCatalog(CodeTable<XidEntry> table) {
    this.table = table;
  }

  /** The catalogue that ships with this version. */
  public static XidCatalog load() {
    return new XidCatalog(
        CodeTable.load(XidCatalog.class, "xid-catalog.csv", COLUMNS, XidCatalog::entry));
  }

  private static XidEntry entry(CodeTable.Row row) {
    return new XidEntry(
        row.code(),
        row.text("name"),
        row.text("mnemonic_or_empty"),
        row.text("origin"),
        row.text("severity"),
        row.text("scope"),
        row.text("recommended_action"),
        row.fence(),
        row.text("note"),
        true);
  }

  /** What the code means; an entry that says so when the catalogue does not hold it. */
  public XidEntry lookup(int code) {
    return table.lookup(code, XidEntry::unknown);
  }

  /** Every code that the catalogue holds, in order. */
  public SortedSet<Integer> codes() {
    return table.codes();
  }
}
