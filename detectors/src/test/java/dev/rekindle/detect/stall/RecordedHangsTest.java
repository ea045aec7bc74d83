package dev.rekindle.detect.stall;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The recorded hangs that rules were made on. */
class RecordedHangsTest {
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
          "healthy");

  @TempDir static Path folder;
  private static HangTable table = new HangTable(List.of(), KINDS);

  @BeforeAll
  static void unpack() throws IOException {
    table = new HangTable(RecordedHang.unpack(folder, RecordedHang.TAUGHT), KINDS);
  }

  /** A network that fails as one rank lacks what others have completed looks like that rank. */
  private static final Map<String, String> ONE_LACKS_WHAT_OTHERS_HAVE =
      Map.of("c008-network", "names [0]", "c018-network", "names [1]");

  @Test
  void dumpsAlone() throws IOException {
    table.check(
        "`analyze`, dumps",
        hang -> HangTable.analyze(hang, hang.dumps()),
        ONE_LACKS_WHAT_OTHERS_HAVE);
  }

  @Test
  void dumpsAndStacks() throws IOException {
    table.check(
        "`analyze`, dumps and stacks",
        hang -> HangTable.analyze(hang, hang.dumps(), hang.stacks()),
        ONE_LACKS_WHAT_OTHERS_HAVE);
  }

  @Test
  void asAgentsReportThem() throws IOException {
    table.check("agents' reports", HangTable::reported, ONE_LACKS_WHAT_OTHERS_HAVE);
  }

  @Test
  void noneIsNamedWithHighConfidenceThatIsNotAtFault() {
    table.checkThatNoneIsNamedWithHighConfidenceThatIsNotAtFault();
  }
}
