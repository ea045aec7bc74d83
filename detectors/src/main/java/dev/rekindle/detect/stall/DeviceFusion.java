package dev.rekindle.detect.stall;

import static java.util.stream.Collectors.toCollection;

import java.util.ArrayList;
import java.util.List;
import java.util.NavigableSet;
import java.util.TreeSet;

/**
 * Weighs what GPUs do beside all that dumps, logs and processor time show. If a collective does not
 * end, dumps do not show which member of its group is at fault; nor which side of a send and its
 * receive, nor which of several ranks that may wait for a peer. If exactly the ranks that the GPUs
 * single out are among these suspects, they are named, with {@code medium}: two witnesses agree.
 * Otherwise the GPUs count as any other weak witness ({@link OutlierFusion}).
 */
final class DeviceFusion {
  private DeviceFusion() {}

  /**
   * One verdict.
   *
   * @param report of all witnesses before
   * @param named whether one of those by itself names any rank, whatever became of it
   * @param waits whether a dump shows that a rank of the outlier waits for another one
   * @param suspects ranks one of which is at fault, by the dumps, which do not show which one
   */
  static StallReport of(
      StallReport report,
      boolean named,
      boolean waits,
      NavigableSet<Integer> suspects,
      Outlier outlier) {
    NavigableSet<Integer> both =
        outlier.ranks().stream().filter(suspects::contains).collect(toCollection(TreeSet::new));
    boolean tied =
        !named && report.culprits().isEmpty() && report.stallClass() != StallClass.PROGRAM;
    if (!tied || both.isEmpty() || !both.equals(outlier.ranks())) {
      return OutlierFusion.of(report, named || waits, outlier);
    }
    List<String> evidence = new ArrayList<>(report.evidence());
    evidence.addAll(outlier.evidence());
    return new StallReport(
        both.stream().map(rank -> new Culprit(rank, outlier.reason())).toList(),
        StallClass.DEVICE_OR_LINK,
        Confidence.MEDIUM,
        evidence);
  }
}
