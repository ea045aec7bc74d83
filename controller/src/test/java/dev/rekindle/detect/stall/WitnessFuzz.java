package dev.rekindle.detect.stall;

import dev.rekindle.api.RankEvidence;
import dev.rekindle.detect.ncclog.LogFact;
import dev.rekindle.detect.ncclog.NcclLine;
import dev.rekindle.detect.ncclog.NcclLines;
import dev.rekindle.detect.ras.RasException;
import dev.rekindle.detect.ras.RasReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Feeds bytes to the readers of logs, answers of RAS and stacks, and what they read to the
 * analysis.
 */
public final class WitnessFuzz {
  private static final int WORLD = 8;

  private WitnessFuzz() {}

  /** A log of several ranks. */
  public static void log(byte[] input) {
    List<LoggedFact> facts = new ArrayList<>();
    for (var line : new String(input, StandardCharsets.UTF_8).split("[\r\n]", -1)) {
      var read = NcclLines.read(line);
      if (read.isPresent() && !NcclLines.mayHold(line)) {
        throw new AssertionError("passed over: " + line);
      }
      read.ifPresent(found -> facts.add(fact(facts.size(), found)));
    }
    var report = LogAnalysis.of(facts, List.of(), WORLD);
    if (report.confidence() == Confidence.HIGH) {
      throw new AssertionError("sure by logs alone: " + report);
    }
    if (report.culprits().stream().anyMatch(c -> c.rank() < 0 || c.rank() >= WORLD)) {
      throw new AssertionError("no rank of the job: " + report);
    }
    if (report.toString().length() > 20_000) {
      throw new AssertionError("a report of " + report.toString().length());
    }
  }

  private static LoggedFact fact(int position, NcclLine line) {
    if (line.fact().toString().length() > 10 * LogFact.LONGEST_TEXT + 4 * LogFact.MOST_RANKS * 8) {
      throw new AssertionError("a fact of " + line.fact().toString().length());
    }
    return new LoggedFact(
        line.rank(), new LogOrder(position % 2, position, line.millis()), line.fact());
  }

  /** An answer of RAS. */
  public static void ras(byte[] input) {
    try {
      var answer = RasReader.read(input);
      var finding = RasFinding.of(List.of(answer, answer), 0);
      var report = WitnessFusion.of(Optional.empty(), Optional.empty(), finding);
      if (!report.culprits().isEmpty() || report.toString().length() > 20_000) {
        throw new AssertionError("named by RAS, or too long: " + report);
      }
    } catch (RasException refused) {
      if (String.valueOf(refused.getMessage()).length() > 300) {
        throw new AssertionError("a reason of " + String.valueOf(refused.getMessage()).length());
      }
    }
  }

  /** What py-spy prints. */
  public static void stack(byte[] input) {
    var frames = PythonStack.read(new String(input, StandardCharsets.ISO_8859_1));
    if (frames.size() > RankEvidence.MOST_FRAMES || frames.toString().length() > 3_000) {
      throw new AssertionError("too many frames, or too long: " + frames);
    }
  }
}
