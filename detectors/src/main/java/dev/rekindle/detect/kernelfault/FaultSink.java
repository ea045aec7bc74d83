package dev.rekindle.detect.kernelfault;

import dev.rekindle.api.NodeFaultSpec;
import dev.rekindle.detect.fault.FaultObservation;
import dev.rekindle.detect.fault.FaultReports;
import dev.rekindle.detect.fault.FaultResolution;
import dev.rekindle.detect.kernel.Finding;
import dev.rekindle.detect.kernel.KernelLines;
import dev.rekindle.detect.kernel.ParserState;
import dev.rekindle.detect.kmsg.Boot;
import dev.rekindle.detect.kmsg.KmsgRecord;
import dev.rekindle.detect.kmsg.KmsgSink;
import dev.rekindle.detect.kmsg.UndeliveredException;
import dev.rekindle.detect.rules.Judge;
import dev.rekindle.detect.rules.RuleResult;
import dev.rekindle.detect.rules.Verdict;
import dev.rekindle.logging.LogKey;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Set;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has the judge say what follows from kernel records by themselves, and hands on what is to be
 * written; what repetition means is weighed by the controller. Nothing is remembered of a record
 * that could not be handed on, so it can be offered again. Used by the reader's thread.
 */
public final class FaultSink implements KmsgSink {
  private static final Logger LOG = LoggerFactory.getLogger(FaultSink.class);

  /** Memory that was lost under a process: a matter of the node where a rank has lost it. */
  private static final String MEMORY_HIT = "memory-hit";

  private final String node;
  private final Boot boot;
  private final Supplier<Judge> judge;
  private final JudgeMemory judged;
  private final AffectedPods victims;
  private final Components components;
  private final FaultReports faults;
  private final Metrics metrics;
  private final LogThrottle throttle = new LogThrottle();
  private ParserState memory = ParserState.EMPTY;

  /** Of the record judged last, by the kernel's clock. */
  private Instant newest = Instant.EPOCH;

  /** Counts what was judged. */
  @FunctionalInterface
  public interface Metrics {
    /**
     * A finding was judged.
     *
     * @param source who reported it, {@code xid}
     * @param verdict what follows, {@code fence}
     */
    void judged(String source, String verdict);
  }

  /**
   * A sink that has seen no record.
   *
   * @param node the node
   * @param boot its running boot
   * @param judge the judge with the rules in force
   * @param judged what the judge remembers
   * @param victims whom a finding hit
   * @param components what a finding is about
   * @param faults gets what follows; what it throws is thrown on
   */
  public FaultSink(
      String node,
      Boot boot,
      Supplier<Judge> judge,
      JudgeMemory judged,
      AffectedPods victims,
      Components components,
      FaultReports faults,
      Metrics metrics) {
    this.node = node;
    this.boot = boot;
    this.judge = judge;
    this.judged = judged;
    this.victims = victims;
    this.components = components;
    this.faults = faults;
    this.metrics = metrics;
  }

  @Override
  public boolean accept(KmsgRecord kmsg, Instant time) {
    var read = KernelLines.read(memory, kmsg.text());
    if (read.finding().isEmpty()) {
      memory = read.memory();
      return false;
    }
    if (!judged.hasJudged(kmsg.sequence())) {
      judge(components.located(read.finding().get()), kmsg, time);
    }
    memory = read.memory();
    return true;
  }

  private void judge(Finding located, KmsgRecord kmsg, Instant time) {
    var victim = victims.of(located);
    var finding =
        located.code().equals(MEMORY_HIT) && !victim.isKnown()
            ? located.marked(Finding.OTHER)
            : located;
    // By the kernel's clock, which is never set: one that is set back would make an echo of all.
    var logged = Instant.EPOCH.plus(kmsg.microsSinceBoot(), ChronoUnit.MICROS);
    var now = logged.isAfter(newest) ? logged : newest;
    var result = judge.get().judge(judged.history(), finding, now);
    var judgement = result.judgement();
    if (judgement.clears() && !finding.device().isEmpty()) {
      var gone =
          new FaultResolution(
              node,
              finding.component(),
              finding.device(),
              Set.of(),
              "driver",
              time,
              boot.id(),
              kmsg.sequence());
      deliver(() -> faults.gone(gone));
    } else if (judgement.verdict() != Verdict.IGNORE) {
      for (var component : components.of(finding)) {
        var seen =
            new FaultObservation(
                fault(finding, component, judgement, kmsg, time),
                kmsg.sequence(),
                time,
                finding.unit(),
                victim,
                finding.mark());
        deliver(() -> faults.saw(seen));
      }
    }
    metrics.judged(finding.source().word(), judgement.verdict().word());
    log(finding, judgement, now);
    newest = now;
    judged.keep(kmsg.sequence(), result.history());
  }

  /** What is thrown is of the API server, whatever it is: an answer may make no sense. */
  private static void deliver(Runnable delivery) {
    try {
      delivery.run();
    } catch (UndeliveredException e) {
      throw e;
    } catch (RuntimeException e) {
      throw new UndeliveredException(e.toString(), e);
    }
  }

  private NodeFaultSpec fault(
      Finding finding, String component, RuleResult judgement, KmsgRecord kmsg, Instant time) {
    return new NodeFaultSpec(
            node,
            finding.component(),
            component,
            finding.faultCode(),
            "kmsg",
            components.guidance(finding, judgement.guidance()),
            judgement.action(),
            boot.id(),
            time,
            kmsg.text())
        .ofDevice(uuid(component));
  }

  /** The driver names a GPU in the log before its first error of a boot. */
  private String uuid(String address) {
    var logged = memory.gpus().get(address);
    return logged == null ? components.uuid(address) : logged.uuid();
  }

  private void log(Finding finding, RuleResult judgement, Instant now) {
    if (judgement.verdict() == Verdict.IGNORE && !judgement.clears()) {
      return;
    }
    var news = new LogThrottle.News(finding.name(), finding.device(), finding.unit(), judgement);
    var repeats = throttle.admit(news, now);
    if (repeats.isEmpty()) {
      return;
    }
    LOG.atInfo()
        .addKeyValue(LogKey.FINDING.key(), finding.name())
        .addKeyValue(LogKey.DEVICE.key(), finding.device())
        .addKeyValue(LogKey.GPU_UUID.key(), uuid(finding.device()))
        .addKeyValue(LogKey.UNIT.key(), finding.unit())
        .addKeyValue(LogKey.VERDICT.key(), judgement.verdict().word())
        .addKeyValue(LogKey.RULE.key(), judgement.rule())
        .addKeyValue(LogKey.REASON.key(), judgement.reason())
        .addKeyValue(LogKey.REPEATS.key(), repeats.getAsLong())
        .log("Kernel record judged");
  }

  /** Writes down what the judge remembers; called when the reader has ended. */
  public void close() {
    judged.save();
  }
}
