package dev.rekindle.detect.evidence;

import dev.rekindle.api.RankEvidence;
import java.util.List;
import java.util.Set;

/** Shows tests what is kept. */
public final class LinesOfPods {
  private LinesOfPods() {}

  /** The lines of the only rank of a pod. */
  public static List<RankEvidence.Line> of(PodLines lines, String podUid, int rank) {
    return lines.of(podUid, rank, Set.of(rank));
  }
}
