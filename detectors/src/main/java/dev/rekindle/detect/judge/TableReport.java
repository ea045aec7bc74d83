package dev.rekindle.detect.judge;

import dev.rekindle.detect.rules.Verdict;
import java.io.PrintStream;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** A table for people; a run of lines that say the same is one row. */
final class TableReport implements Report {
  private static final String ROW = "%-27s  %-12s  %-22s  %-8s  %s%n";
  private static final int DEVICES = 512;

  private final PrintStream out;
  private final Map<String, Device> devices = new TreeMap<>();
  private @Nullable Judged previous;
  private long more;
  private long recognised;

  /** What became of a device. */
  private record Device(Verdict worst, String why, String action, boolean cleared) {}

  TableReport(PrintStream out) {
    this.out = out;
  }

  @Override
  public boolean add(Judged judged) {
    recognised++;
    var before = previous;
    if (before != null && isLike(before, judged)) {
      more++;
    } else {
      if (before == null) {
        out.printf(ROW, "TIME", "DEVICE", "CODE", "VERDICT", "REASON");
      }
      endRun();
      row(judged);
      previous = judged;
    }
    note(judged);
    return !out.checkError();
  }

  private static boolean isLike(Judged one, Judged other) {
    return one.finding().name().equals(other.finding().name())
        && one.finding().device().equals(other.finding().device())
        && one.judgement().equals(other.judgement());
  }

  private void row(Judged judged) {
    var unit = judged.finding().unit().isEmpty() ? "" : " (" + judged.finding().unit() + ")";
    out.printf(
        ROW,
        judged.time().orElse("-"),
        judged.finding().device().isEmpty() ? "-" : judged.finding().device(),
        judged.finding().name(),
        judged.judgement().verdict().word(),
        judged.judgement().reason() + unit);
  }

  private void endRun() {
    if (more > 0) {
      out.printf("%-27s  and %d more like it%n", "", more);
    }
    more = 0;
  }

  private void note(Judged judged) {
    var judgement = judged.judgement();
    var device = judged.finding().device().isEmpty() ? "-" : judged.finding().device();
    var before = devices.get(device);
    if (before == null && devices.size() >= DEVICES) {
      return;
    }
    if (judgement.clears()) {
      if (before != null) {
        devices.put(device, new Device(before.worst(), before.why(), before.action(), true));
      }
      return;
    }
    if (before == null || before.cleared() || judgement.verdict().compareTo(before.worst()) > 0) {
      devices.put(
          device,
          new Device(
              judgement.verdict(),
              judged.finding().name() + ": " + judgement.reason(),
              judgement.action(),
              false));
    }
  }

  @Override
  public void end(long lines, int boots) {
    endRun();
    out.printf(
        "%s%d of %d lines recognised%s.%n",
        recognised > 0 ? System.lineSeparator() : "",
        recognised,
        lines,
        boots > 1 ? ", " + boots + " boots" : "");
    devices.forEach(
        (device, was) -> {
          if (was.worst() == Verdict.IGNORE) {
            return;
          }
          out.printf(
              "%-12s  %-8s  %s%s%n",
              device,
              was.worst().word(),
              was.why(),
              was.cleared()
                  ? "; cleared since"
                  : was.action().isEmpty() ? "" : "; to do: " + was.action());
        });
    out.flush();
  }
}
