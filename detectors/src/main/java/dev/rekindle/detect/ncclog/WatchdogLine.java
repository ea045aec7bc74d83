package dev.rekindle.detect.ncclog;

import dev.rekindle.detect.ncclog.LogFact.CollectiveTimeout;
import dev.rekindle.detect.ncclog.LogFact.DumpSignal;
import dev.rekindle.detect.ncclog.LogFact.GilStuck;
import dev.rekindle.detect.ncclog.LogFact.RecorderOff;
import dev.rekindle.detect.ncclog.LogFact.RemoteError;
import dev.rekindle.detect.ncclog.LogFact.WatchdogStuck;
import dev.rekindle.detect.ncclog.LogFact.WorkCounters;
import java.util.List;
import java.util.Optional;

/**
 * The text of a line of the watchdog, behind its header: groups in brackets, then a sentence. A
 * sentence that is quoted later in a line, as those of exceptions are, is not looked for.
 */
final class WatchdogLine {
  /** Some lines have the same group twice. */
  private static final int MOST_PREFIXES = 3;

  private static final List<String> WORK =
      List.of(
          "Timeout at NCCL work: ",
          "Exception (either an error or timeout) detected by watchdog at work: ",
          "failure detected by watchdog at work sequence id: ");

  private final Scan scan;
  private LoggedGroup group = LoggedGroup.NONE;

  private WatchdogLine(Scan scan) {
    this.scan = scan;
  }

  /** What a line says, whose header ends there. */
  static Optional<LogFact> read(String text, int from) {
    return new WatchdogLine(new Scan(text, from)).fact();
  }

  private Optional<LogFact> fact() {
    for (int i = 0; i < MOST_PREFIXES && prefix(); i++) {
      scan.blanks();
    }
    if (scan.skip("Watchdog caught collective operation timeout: WorkNCCL(")) {
      return timeout();
    }
    for (var sentence : WORK) {
      if (scan.skip(sentence)) {
        return counters();
      }
    }
    if (scan.skip("Received a dump signal ")) {
      return dumpSignal();
    }
    if (scan.skip("Observed flight recorder dump signal from another rank")) {
      return Optional.of(new DumpSignal(group, -1, -1, -1));
    }
    if (scan.skip("ProcessGroupNCCL's watchdog got stuck for ")) {
      return Optional.of(new WatchdogStuck(Math.max(0, scan.number())));
    }
    if (scan.skip("Could not acquire GIL within ")) {
      return Optional.of(new GilStuck());
    }
    if (scan.skip("Stack trace of the failed collective not found")) {
      return Optional.of(new RecorderOff());
    }
    if (scan.skip("remote error detected from rank: ")) {
      long rank = scan.number();
      return rank < 0 ? Optional.empty() : Optional.of(new RemoteError(group, rank));
    }
    return Optional.empty();
  }

  /** {@code [Rank 7]}, {@code [PG 1 Rank 0]}, {@code [PG ID 0 PG GUID 0(default_pg) Rank 118]}. */
  private boolean prefix() {
    boolean bracket = scan.skip("[Rank ");
    if (bracket) {
      long rank = scan.number();
      if (rank < 0 || !scan.skip("]")) {
        return false;
      }
      scan.skip(":");
      group = new LoggedGroup("", false, "", rank);
      return true;
    }
    if (!scan.skip("[PG ")) {
      return false;
    }
    var name = "";
    if (scan.skip("ID ")) {
      name = scan.until(" ]", LogFact.LONGEST_TEXT);
      scan.blanks();
      scan.skip("PG ");
    }
    boolean shared = scan.skip("GUID ");
    var description = "";
    if (shared) {
      name = scan.until("( ]", LogFact.LONGEST_TEXT);
      if (scan.skip("(")) {
        description = scan.until(")]", LogFact.LONGEST_TEXT);
        scan.skip(")");
      }
    } else if (name.isEmpty()) {
      name = scan.until(" ]", LogFact.LONGEST_TEXT);
    }
    scan.blanks();
    long rank = scan.skip("Rank ") ? scan.number() : -1;
    if (!scan.skip("]")) {
      return false;
    }
    scan.skip(":");
    group = new LoggedGroup(name, shared, description, rank);
    return true;
  }

  private Optional<LogFact> timeout() {
    long sequence = scan.skip("SeqNum=") ? scan.number() : -1;
    if (sequence < 0 || !scan.skip(", OpType=")) {
      return Optional.empty();
    }
    var operation = scan.until(",)", LogFact.LONGEST_TEXT);
    long ran = scan.behind(") ran for ") ? scan.number() : -1;
    return ran < 0
        ? Optional.empty()
        : Optional.of(new CollectiveTimeout(group, sequence, operation, ran));
  }

  private Optional<LogFact> counters() {
    if (scan.number() < 0) {
      return Optional.empty();
    }
    scan.skip(",");
    scan.skip(" PG status:");
    scan.blanks();
    long enqueued = enqueued("last enqueued ");
    long completed = enqueued < -1 ? -2 : completed();
    return completed < -1
        ? Optional.empty()
        : Optional.of(new WorkCounters(group, enqueued, completed));
  }

  private Optional<LogFact> dumpSignal() {
    long from = -1;
    if (scan.behind("from ")) {
      scan.blanks();
      from = scan.skip("rank ") ? scan.number() : -1;
    }
    long enqueued = scan.behind("Last enqueued ") ? enqueued("") : -2;
    long completed = enqueued < -1 ? -2 : completed();
    return Optional.of(
        completed < -1
            ? new DumpSignal(group, from, -1, -1)
            : new DumpSignal(group, from, enqueued, completed));
  }

  private long enqueued(String word) {
    if (!scan.skip(word)) {
      return -2;
    }
    scan.skip("NCCL ");
    return scan.skip("work: ") ? scan.signed() : -2;
  }

  private long completed() {
    if (!scan.skip(", last completed ")) {
      return -2;
    }
    scan.skip("NCCL ");
    return scan.skip("work: ") ? scan.signed() : -2;
  }
}
