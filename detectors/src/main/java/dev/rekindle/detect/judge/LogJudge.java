package dev.rekindle.detect.judge;

import dev.rekindle.detect.judge.LogLine.Kind;
import dev.rekindle.detect.kernel.Finding;
import dev.rekindle.detect.kernel.GpuName;
import dev.rekindle.detect.kernel.KernelLines;
import dev.rekindle.detect.kernel.ParserState;
import dev.rekindle.detect.rules.History;
import dev.rekindle.detect.rules.Judge;
import dev.rekindle.detect.rules.RuleResult;
import dev.rekindle.detect.rules.Verdict;
import dev.rekindle.detect.weigh.Thresholds;
import dev.rekindle.detect.weigh.Weigher;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Judges a recorded log, line by line: each by itself as the agent would have judged it live, and
 * what comes again as the controller would have weighed it, each burst as if it ended with the
 * line.
 */
final class LogJudge {
  private final Judge judge;
  private final Weigher weigher;
  private final Duration silence;
  private final LoggedFaults faults = new LoggedFaults();
  private final LogFormat format = new LogFormat();
  private final LogClock clock = new LogClock();
  private ParserState memory = ParserState.EMPTY;
  private History history = History.of("boot-1");
  private int boots = 1;
  private String bootId = "";
  private long lines;
  private long kernelLines;

  LogJudge(Judge judge, Thresholds thresholds) {
    this.judge = judge;
    weigher = Weigher.ofLog(thresholds);
    silence = thresholds.silence();
  }

  /** Takes the next line; what follows where it is recognised. */
  Optional<Judged> take(String text) {
    lines++;
    var line = format.read(text);
    var booted = clock.take(line.stamp()) || line.kind() == Kind.BOOT || isAnotherBoot(line);
    if (line.message().startsWith("Linux version ") && kernelLines > 0) {
      booted = true;
    }
    if (booted && kernelLines > 0) {
      boots++;
      history = history.in("boot-" + boots);
      memory = ParserState.EMPTY;
      kernelLines = 0;
    }
    if (line.kind() != Kind.KERNEL) {
      return Optional.empty();
    }
    kernelLines++;
    var read = KernelLines.read(memory, line.message());
    memory = read.memory();
    if (read.finding().isEmpty()) {
      return Optional.empty();
    }
    var finding = read.finding().get();
    var judged = judge.judge(history, finding, clock.now());
    history = judged.history();
    return Optional.of(
        new Judged(
            lines,
            clock.text(),
            finding,
            Optional.ofNullable(memory.gpus().get(finding.device())).map(GpuName::uuid).orElse(""),
            weighed(finding, judged.judgement(), clock.now())));
  }

  private RuleResult weighed(Finding finding, RuleResult judgement, Instant now) {
    if (judgement.clears()) {
      faults.cleared(finding);
    }
    if (judgement.verdict() == Verdict.IGNORE) {
      return judgement;
    }
    var fault = faults.add(finding, judgement, history.boot(), now);
    var result = judgement;
    if (judgement.weighed()) {
      var weight = weigher.weigh(fault, faults.all(), List.of(), now.plus(silence));
      result = weight.fences() ? judgement.fencing(weight.reason()) : judgement;
    }
    return result.verdict() == Verdict.FENCE && weigher.isStubborn(fault)
        ? result.stubborn(weigher.reboots(fault))
        : result;
  }

  private boolean isAnotherBoot(LogLine line) {
    if (line.boot().isEmpty() || line.boot().equals(bootId)) {
      return false;
    }
    var first = bootId.isEmpty();
    bootId = line.boot();
    return !first;
  }

  long lines() {
    return lines;
  }

  int boots() {
    return boots;
  }
}
