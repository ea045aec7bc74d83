package dev.rekindle.detect.stall;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Hangs recorded after the rules: other seeds, links of one rank that are cut, and torchtitan. */
class FreshHangsTest {
  private static final List<String> KINDS =
      List.of(
          "stopped",
          "gil",
          "lock",
          "loader",
          "device",
          "mismatch",
          "skip",
          "send",
          "network",
          "link",
          "healthy");

  @TempDir static Path folder;
  private static HangTable table = new HangTable(List.of(), KINDS);

  @BeforeAll
  static void unpack() throws IOException {
    table = new HangTable(RecordedHang.unpack(folder, RecordedHang.FRESH), KINDS);
  }

  @Test
  void dumpsAlone() throws IOException {
    table.check("`analyze`, dumps", hang -> HangTable.analyze(hang, hang.dumps()), Map.of());
  }

  @Test
  void dumpsAndStacks() throws IOException {
    table.check(
        "`analyze`, dumps and stacks",
        hang -> HangTable.analyze(hang, hang.dumps(), hang.stacks()),
        Map.of());
  }

  @Test
  void asAgentsReportThem() throws IOException {
    table.check("agents' reports", HangTable::reported, Map.of());
  }

  /** A job that trains, of which nothing says that its dumps are of one moment. */
  @Test
  void dumpsAndStacksOfAnArchiveThatCutsTimes(@TempDir Path another) throws IOException {
    var cut = RecordedHang.unpack(another, RecordedHang.FRESH);
    for (var hang : cut) {
      hang.cutTimes();
    }
    new HangTable(cut, KINDS)
        .check(
            "the same, times of files to the second",
            hang -> HangTable.analyze(hang, hang.dumps(), hang.stacks()),
            Map.of("fresh-054-healthy", "names [0]"));
  }

  @Test
  void noneIsNamedWithHighConfidenceThatIsNotAtFault() {
    table.checkThatNoneIsNamedWithHighConfidenceThatIsNotAtFault();
  }
}
