package dev.rekindle.detect.stall;

import static java.util.stream.Collectors.toCollection;

import java.util.ArrayList;
import java.util.List;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.TreeSet;

/**
 * One verdict of several witnesses.
 *
 * <ol>
 *   <li>Dumps come first. Logs that name the same ranks make them surer, but not where a rank lacks
 *       its dump and a line: one reason may be behind both. Where they name other ranks and none of
 *       the same, no rank is named.
 *   <li>Where dumps name no rank, logs do, unless all dumps agree that the program or what is
 *       between ranks is at fault and logs are no surer than that.
 *   <li>Ranks that call other collectives, by their logs, are the program's fault whatever else is
 *       seen.
 *   <li>RAS names no rank. It makes logs or dumps surer where it suspects the same ranks.
 * </ol>
 */
final class WitnessFusion {
  private WitnessFusion() {}

  /**
   * Combines reports on one stall.
   *
   * @param dumps empty where there are no dumps
   * @param logs empty where there are no logs
   * @param ras what answers of RAS show
   */
  static StallReport of(Optional<StallReport> dumps, Optional<StallReport> logs, RasFinding ras) {
    var both = both(dumps, logs);
    var named = ranks(both);
    boolean agrees = !named.isEmpty() && ras.suspects().equals(named);
    // Launch counts cannot make sure what logs alone have guessed.
    var most =
        dumps.filter(d -> !d.culprits().isEmpty()).isPresent()
            ? Confidence.HIGH
            : Confidence.MEDIUM;
    var confidence = agrees ? surer(both.confidence(), most) : both.confidence();
    List<String> evidence = new ArrayList<>(both.evidence());
    evidence.addAll(ras.lines());
    return new StallReport(both.culprits(), both.stallClass(), confidence, evidence);
  }

  private static StallReport both(Optional<StallReport> dumps, Optional<StallReport> logs) {
    if (dumps.isEmpty() || logs.isEmpty()) {
      return dumps
          .or(() -> logs)
          .orElseGet(
              () ->
                  new StallReport(
                      List.of(),
                      StallClass.UNKNOWN,
                      Confidence.LOW,
                      List.of("neither dumps nor logs are there")));
    }
    return fused(dumps.get(), logs.get());
  }

  private static StallReport fused(StallReport dumps, StallReport logs) {
    var byDumps = ranks(dumps);
    var byLogs = ranks(logs);
    List<String> evidence = new ArrayList<>();
    if (!byDumps.isEmpty() && !byLogs.isEmpty()) {
      var common = new TreeSet<>(byDumps);
      common.retainAll(byLogs);
      if (common.isEmpty()) {
        evidence.add(
            "witnesses disagree: dumps name %s, logs name %s"
                .formatted(StallAnalysis.ranks(byDumps), StallAnalysis.ranks(byLogs)));
        return report(List.of(), StallClass.UNKNOWN, Confidence.LOW, evidence, dumps, logs);
      }
      boolean same = byDumps.equals(byLogs);
      evidence.add("logs name %s as well".formatted(StallAnalysis.ranks(common)));
      return report(
          dumps.culprits(),
          programOr(logs, dumps.stallClass()),
          same && !areOnlyMissed(dumps, logs)
              ? surer(dumps.confidence(), Confidence.HIGH)
              : dumps.confidence(),
          evidence,
          dumps,
          logs);
    }
    if (!byDumps.isEmpty()) {
      return report(
          dumps.culprits(),
          programOr(logs, dumps.stallClass()),
          dumps.confidence(),
          evidence,
          dumps,
          logs);
    }
    boolean yields =
        dumps.stallClass() == StallClass.UNKNOWN
            || (dumps.stallClass() == StallClass.NETWORK
                && logs.confidence().compareTo(dumps.confidence()) > 0);
    if (!byLogs.isEmpty() && !yields) {
      evidence.add(
          "logs name %s, dumps show that it is not held up alone"
              .formatted(StallAnalysis.ranks(byLogs)));
      return report(
          List.of(), programOr(logs, dumps.stallClass()), Confidence.LOW, evidence, dumps, logs);
    }
    var stallClass =
        byLogs.isEmpty() && dumps.stallClass() != StallClass.UNKNOWN
            ? programOr(logs, dumps.stallClass())
            : logs.stallClass();
    return report(logs.culprits(), stallClass, logs.confidence(), evidence, dumps, logs);
  }

  /** Of dumps a rank is a guess only where it has none (seed 94310102). */
  private static boolean areOnlyMissed(StallReport dumps, StallReport logs) {
    return dumps.confidence() == Confidence.LOW && LogAnalysis.isOfSilence(logs);
  }

  private static StallClass programOr(StallReport logs, StallClass other) {
    return logs.stallClass() == StallClass.PROGRAM ? StallClass.PROGRAM : other;
  }

  private static StallReport report(
      List<Culprit> culprits,
      StallClass stallClass,
      Confidence confidence,
      List<String> first,
      StallReport dumps,
      StallReport logs) {
    List<String> evidence = new ArrayList<>(first);
    evidence.addAll(dumps.evidence());
    evidence.addAll(logs.evidence());
    return new StallReport(culprits, stallClass, confidence, evidence);
  }

  private static NavigableSet<Integer> ranks(StallReport report) {
    return report.culprits().stream().map(Culprit::rank).collect(toCollection(TreeSet::new));
  }

  /** One more, up to so much. */
  private static Confidence surer(Confidence confidence, Confidence most) {
    if (confidence.compareTo(most) >= 0) {
      return confidence;
    }
    return confidence == Confidence.LOW ? Confidence.MEDIUM : Confidence.HIGH;
  }
}
