package dev.rekindle.detect.stall;

import java.util.ArrayList;
import java.util.List;

/**
 * What is known of a stall.
 *
 * @param culprits by rank; empty when no rank can be named
 * @param stallClass what kind of fault it is
 * @param confidence how much is behind it
 * @param evidence what the witnesses show, one fact a line, at most {@link #MOST_EVIDENCE}
 */
public record StallReport(
    List<Culprit> culprits, StallClass stallClass, Confidence confidence, List<String> evidence) {
  /** Facts of a report; what is beyond is counted in the last one. */
  public static final int MOST_EVIDENCE = 32;

  public StallReport {
    culprits = List.copyOf(culprits);
    evidence = bounded(evidence);
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
