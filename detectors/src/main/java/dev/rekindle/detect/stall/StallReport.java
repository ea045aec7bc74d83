package dev.rekindle.detect.stall;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.NavigableSet;
import java.util.TreeSet;

/**
 * What is known of a stall.
 *
 * @param culprits by rank; empty when no rank can be named
 * @param stallClass what kind of fault it is
 * @param confidence how much is behind it
 * @param evidence what the witnesses show, one fact a line, at most {@link #MOST_EVIDENCE}
 * @param suspects ranks one of which may be at fault, by the dumps, which do not show which one:
 *     all stand in an operation that does not end, or may wait for a peer; empty where a rank is
 *     named
 */
public record StallReport(
    List<Culprit> culprits,
    StallClass stallClass,
    Confidence confidence,
    List<String> evidence,
    NavigableSet<Integer> suspects) {
  /** Facts of a report; what is beyond is counted in the last one. */
  public static final int MOST_EVIDENCE = 32;

  public StallReport {
    culprits = List.copyOf(culprits);
    evidence = bounded(evidence);
    suspects = new TreeSet<>(suspects);
  }

  /** A report without suspects. */
  public StallReport(
      List<Culprit> culprits, StallClass stallClass, Confidence confidence, List<String> evidence) {
    this(culprits, stallClass, confidence, evidence, new TreeSet<>());
  }

  /** No rank is named: what is between the ranks, or any of them, does not get on. */
  static StallReport between(Collection<Integer> suspects, List<String> evidence) {
    return new StallReport(
        List.of(), StallClass.NETWORK, Confidence.LOW, evidence, new TreeSet<>(suspects));
  }

  /** The same with suspects, unless it names a rank. */
  StallReport suspecting(Collection<Integer> ranks) {
    return new StallReport(
        culprits,
        stallClass,
        confidence,
        evidence,
        culprits.isEmpty() ? new TreeSet<>(ranks) : new TreeSet<>());
  }

  private static List<String> bounded(List<String> facts) {
    if (facts.size() <= MOST_EVIDENCE) {
      return List.copyOf(facts);
    }
    var few = new ArrayList<>(facts.subList(0, MOST_EVIDENCE - 1));
    few.add("and " + (facts.size() - MOST_EVIDENCE + 1) + " more");
    return List.copyOf(few);
  }
}
