package dev.rekindle.detect.stall;

import dev.rekindle.detect.flightrecorder.Dump;
import java.util.Collection;
import java.util.List;
import java.util.NavigableSet;
import java.util.TreeSet;

/**
 * The ranks that one witness singles out from all others.
 *
 * @param witness what singles them out, as people call it: {@code processor time}
 * @param ranks those that differ; empty where none does, or where it is not plain
 * @param reason how they differ
 * @param stallClass what kind of fault that is
 * @param confidence how sure the witness is by itself
 * @param evidence what is seen, for people
 */
record Outlier(
    String witness,
    NavigableSet<Integer> ranks,
    String reason,
    StallClass stallClass,
    Confidence confidence,
    List<String> evidence) {

  /** None, with what is seen. */
  static Outlier none(String witness, List<String> evidence) {
    return new Outlier(witness, new TreeSet<>(), "", StallClass.UNKNOWN, Confidence.LOW, evidence);
  }

  /** The same; none where one of the ranks waits for another one, by its own dump. */
  Outlier unlessWaiting(Collection<Dump> dumps) {
    return WaitGraph.anyWaits(ranks, dumps) ? none(witness, evidence) : this;
  }

  /** A rank, or up to an eighth of the job: more are no exception. */
  static boolean isFew(int ranks, int worldSize) {
    return ranks > 0 && ranks <= Math.max(1, worldSize / 8);
  }
}
