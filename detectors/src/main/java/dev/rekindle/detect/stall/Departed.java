package dev.rekindle.detect.stall;

import dev.rekindle.detect.flightrecorder.CallPattern;
import dev.rekindle.detect.flightrecorder.CallPattern.Departure;
import dev.rekindle.detect.flightrecorder.Dump;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * The only rank that does not call what it has called at the same place of its earlier steps, while
 * all others do. A pause that a program makes for all ranks, such as an evaluation, shows on all of
 * them.
 *
 * @param rank which
 * @param departure what it called
 * @param lately whether it has not made two whole rounds of its calls since
 */
record Departed(int rank, Departure departure, boolean lately) {
  /**
   * Finds it.
   *
   * @param dumps of all ranks of a job
   * @return empty where there is none, or another rank is not known to keep to its calls
   */
  static Optional<Departed> of(Collection<Dump> dumps) {
    if (dumps.size() < 2 || dumps.stream().anyMatch(dump -> !dump.pattern().known())) {
      return Optional.empty();
    }
    return only(dumps, CallPattern::leftLately).or(() -> only(dumps, CallPattern::left));
  }

  private static Optional<Departed> only(Collection<Dump> dumps, Predicate<CallPattern> which) {
    var found = dumps.stream().filter(dump -> which.test(dump.pattern())).limit(2).toList();
    return found.size() == 1
        ? Optional.ofNullable(found.getFirst().pattern().departure())
            .map(
                departure ->
                    new Departed(
                        found.getFirst().rank(),
                        departure,
                        found.getFirst().pattern().leftLately()))
        : Optional.empty();
  }

  /** The rank, as the one that holds up the others. */
  Culprit culprit() {
    return new Culprit(
        rank,
        "called %s in %s, number %d, where its own earlier steps have %s"
            .formatted(
                departure.called(), departure.group(), departure.sequence(), departure.usual()));
  }

  /** What is seen, for people. */
  String evidence() {
    return "rank %d alone left the order of its earlier calls: number %d of %s is %s, not %s"
        .formatted(
            rank, departure.sequence(), departure.group(), departure.called(), departure.usual());
  }

  /**
   * The report where no calls under one number differ: it is named where others wait for it, or
   * where it alone waits and has long left the order of its calls.
   *
   * @param candidates ranks that others wait for
   */
  StallReport report(Collection<Integer> candidates, List<String> evidence) {
    if (candidates.contains(rank) || !lately) {
      return report(Confidence.MEDIUM, evidence);
    }
    List<String> all = new ArrayList<>(evidence);
    all.add("witnesses disagree: " + evidence());
    return new StallReport(List.of(), StallClass.UNKNOWN, Confidence.LOW, all);
  }

  /** The report that names it. */
  StallReport report(Confidence confidence, List<String> evidence) {
    List<String> all = new ArrayList<>(evidence);
    all.add(evidence());
    return new StallReport(List.of(culprit()), StallClass.PROGRAM, confidence, all);
  }
}
