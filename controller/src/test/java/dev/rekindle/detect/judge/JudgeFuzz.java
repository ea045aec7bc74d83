package dev.rekindle.detect.judge;

import dev.rekindle.detect.kernel.KernelLines;
import dev.rekindle.detect.kernel.ParserState;
import dev.rekindle.detect.kmsg.Boot;
import dev.rekindle.detect.kmsg.KmsgRecord;
import dev.rekindle.detect.rules.Judge;
import dev.rekindle.detect.rules.Rules;
import dev.rekindle.detect.sxid.SxidCatalog;
import dev.rekindle.detect.weigh.Thresholds;
import dev.rekindle.detect.xid.XidCatalog;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;

/** Feeds bytes to the readers of kernel records and of recorded logs. */
public final class JudgeFuzz {
  private static final Judge JUDGE =
      new Judge(Rules.shipped(), XidCatalog.load(), SxidCatalog.load());
  private static final Boot BOOT = new Boot("boot", Instant.EPOCH);

  private JudgeFuzz() {}

  /** What was read is used, or it need not be made. */
  private static long seen;

  /** Records of {@code /dev/kmsg}, and the same bytes as messages, one after the other. */
  public static void kernel(byte[] input) {
    var memory = ParserState.EMPTY;
    for (var line : new String(input, StandardCharsets.UTF_8).split("\n", -1)) {
      var kmsg = KmsgRecord.read(line.getBytes(StandardCharsets.UTF_8));
      kmsg.map(BOOT::timeOf).map(Object::toString).ifPresent(text -> seen += text.length());
      memory = KernelLines.read(memory, kmsg.map(KmsgRecord::text).orElse(line)).memory();
    }
  }

  /** A recorded log in any form, judged. */
  public static void log(byte[] input) throws IOException {
    var lines = new LineReader(new ByteArrayInputStream(input));
    var judge = new LogJudge(JUDGE, Thresholds.DEFAULT);
    for (var line = lines.next(); line != null; line = lines.next()) {
      judge.take(line).map(Object::toString).ifPresent(text -> seen += text.length());
    }
  }
}
