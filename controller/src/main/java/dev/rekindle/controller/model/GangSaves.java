package dev.rekindle.controller.model;

import dev.rekindle.api.LoggedSaves;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * How a gang saves, by the logs of its present pods. Most trainers say it on one rank, some on all.
 */
public final class GangSaves {
  private GangSaves() {}

  /** The report with the newest save; among equals, the one with the most intervals. */
  public static Optional<RankView> report(List<RankView> reports) {
    return reports.stream()
        .filter(r -> r.saves() != null)
        .max(
            Comparator.comparing(
                    (RankView r) -> Objects.requireNonNullElse(saves(r).time(), Instant.MIN))
                .thenComparingInt(r -> saves(r).intervals())
                .thenComparing(RankView::pod, Comparator.reverseOrder()));
  }

  /** How the gang saves; empty where no line of any rank names a save. */
  public static Optional<LoggedSaves> of(List<RankView> reports) {
    return report(reports).map(RankView::saves);
  }

  private static LoggedSaves saves(RankView report) {
    return Objects.requireNonNull(report.saves());
  }
}
