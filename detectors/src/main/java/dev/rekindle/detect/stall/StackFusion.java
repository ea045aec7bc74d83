package dev.rekindle.detect.stall;

import dev.rekindle.api.RankEvidence.Frame;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Weighs Python stacks beside all other witnesses, and shows where the ranks are that are named in
 * the end: what a person asks first.
 */
final class StackFusion {
  private static final int SHOWN = 4;

  private StackFusion() {}

  /**
   * One verdict.
   *
   * @param report of all other witnesses
   * @param named whether one of those by itself names any rank, or shows that a rank of the outlier
   *     waits for another one
   * @param outlier the ranks that stacks single out
   * @param stacks frames by rank, innermost first
   */
  static StallReport of(
      StallReport report, boolean named, Outlier outlier, Map<Integer, List<Frame>> stacks) {
    return shown(OutlierFusion.of(report, named, outlier), stacks);
  }

  /** The same verdict, with where the ranks are that it names. */
  static StallReport shown(StallReport report, Map<Integer, List<Frame>> stacks) {
    List<String> evidence = new ArrayList<>();
    report.culprits().stream()
        .map(Culprit::rank)
        .filter(rank -> !stacks.getOrDefault(rank, List.of()).isEmpty())
        .limit(SHOWN)
        .forEach(
            rank ->
                evidence.add(
                    "rank %d is in %s"
                        .formatted(
                            rank, StackOutlier.shown(stacks.getOrDefault(rank, List.of())))));
    evidence.addAll(report.evidence());
    return new StallReport(report.culprits(), report.stallClass(), report.confidence(), evidence);
  }
}
