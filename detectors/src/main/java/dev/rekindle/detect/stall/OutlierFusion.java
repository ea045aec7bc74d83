package dev.rekindle.detect.stall;

import static java.util.stream.Collectors.toCollection;

import java.util.ArrayList;
import java.util.List;
import java.util.NavigableSet;
import java.util.TreeSet;

/**
 * Weighs a weak witness beside what is known without it.
 *
 * <ol>
 *   <li>Where that names the same ranks a guess becomes {@code medium}.
 *   <li>Where it names others and is not {@code high}, no rank is named. What is {@code high} has a
 *       dump of each rank: it stands, as {@code medium}.
 *   <li>Where it names no rank, does not know the class, and no dump shows that such a rank waits
 *       for another one, the ranks are named, as sure as the witness is by itself.
 * </ol>
 *
 * <p>Calls that do not fit together are plain: it says nothing of those.
 */
final class OutlierFusion {
  private OutlierFusion() {}

  /**
   * One verdict.
   *
   * @param report of all witnesses before
   * @param named whether one of those by itself names any rank, whatever became of it, or shows
   *     that a rank of the outlier waits for another one
   */
  static StallReport of(StallReport report, boolean named, Outlier outlier) {
    NavigableSet<Integer> culprits =
        report.culprits().stream().map(Culprit::rank).collect(toCollection(TreeSet::new));
    if (outlier.ranks().isEmpty() || report.stallClass() == StallClass.PROGRAM) {
      return with(report, report.culprits(), report.confidence(), List.of(), outlier);
    }
    var those = StallAnalysis.ranks(outlier.ranks());
    if (culprits.isEmpty()) {
      boolean open = !named && report.stallClass() == StallClass.UNKNOWN;
      return open
          ? new StallReport(
              outlier.ranks().stream().map(r -> new Culprit(r, outlier.reason())).toList(),
              outlier.stallClass(),
              outlier.confidence(),
              lines(List.of(), report, outlier))
          : with(
              report,
              List.of(),
              report.confidence(),
              List.of("%s singled out by %s, not named".formatted(those, outlier.witness())),
              outlier);
    }
    if (culprits.equals(outlier.ranks())) {
      return with(
          report,
          report.culprits(),
          report.confidence() == Confidence.LOW ? Confidence.MEDIUM : report.confidence(),
          List.of("%s singled out by %s as well".formatted(those, outlier.witness())),
          outlier);
    }
    if (outlier.ranks().stream().anyMatch(culprits::contains)) {
      return with(report, report.culprits(), report.confidence(), List.of(), outlier);
    }
    var disagree =
        "witnesses disagree: %s named, %s singled out by %s"
            .formatted(StallAnalysis.ranks(culprits), those, outlier.witness());
    return report.confidence() == Confidence.HIGH
        ? with(report, report.culprits(), Confidence.MEDIUM, List.of(disagree), outlier)
        : new StallReport(
            List.of(),
            StallClass.UNKNOWN,
            Confidence.LOW,
            lines(List.of(disagree), report, outlier));
  }

  private static StallReport with(
      StallReport report,
      List<Culprit> culprits,
      Confidence confidence,
      List<String> first,
      Outlier outlier) {
    return new StallReport(
        culprits, report.stallClass(), confidence, lines(first, report, outlier));
  }

  private static List<String> lines(List<String> first, StallReport report, Outlier outlier) {
    List<String> all = new ArrayList<>(first);
    all.addAll(report.evidence());
    all.addAll(outlier.evidence());
    return all;
  }
}
