package dev.rekindle.controller.recovery;

import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.controller.model.HistoryLimits;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.RecoveryView;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * Which recoveries of jobs that are gone are kept. They belong to no object, so that people can
 * read them after the job; no decision reads them any more, and none of them is open: a recovery
 * whose job is gone ends by itself.
 */
final class FormerRecoveries {
  /** What ended so lately may still be asked about by a watch that lags. */
  static final Duration LATELY = Duration.ofMinutes(15);

  private static final Duration SOON = Duration.ofMinutes(1);
  private static final Duration SELDOM = Duration.ofHours(12);

  private static final Comparator<RecoveryView> NEWEST_FIRST =
      Comparator.comparing(FormerRecoveries::ended).reversed().thenComparing(RecoveryView::name);

  private FormerRecoveries() {}

  /**
   * Those that may go, oldest first.
   *
   * @param former ended recoveries of one namespace whose jobs are gone
   */
  static List<RecoveryView> superfluous(
      JobKey key, List<RecoveryView> former, HistoryLimits limits, Instant now) {
    List<RecoveryView> newestFirst = former.stream().sorted(NEWEST_FIRST).toList();
    Set<RecoveryView> gone = new LinkedHashSet<>();
    newestFirst.stream().skip(limits.perNamespace()).forEach(gone::add);
    newestFirst.stream().filter(r -> r.job().equals(key)).skip(limits.perJob()).forEach(gone::add);
    Instant since = now.minus(limits.age());
    newestFirst.stream().filter(r -> ended(r).isBefore(since)).forEach(gone::add);
    return gone.stream().filter(r -> !isLate(r, now)).sorted(NEWEST_FIRST.reversed()).toList();
  }

  /** When to read them again; empty where there is nothing to read. */
  static Optional<Duration> again(
      JobKey key, List<RecoveryView> former, HistoryLimits limits, Instant now) {
    return former.stream()
        .filter(r -> r.job().equals(key))
        .map(FormerRecoveries::ended)
        .min(Comparator.naturalOrder())
        .map(oldest -> Duration.between(now, oldest.plus(limits.age())))
        .map(left -> within(left, SOON, SELDOM));
  }

  /** A clock that was set back makes an end lie ahead; after a while that counts for nothing. */
  private static boolean isLate(RecoveryView recovery, Instant now) {
    Duration since = Duration.between(ended(recovery), now);
    return since.abs().compareTo(LATELY) < 0;
  }

  private static Instant ended(RecoveryView recovery) {
    RecoveryStatus status = recovery.status();
    Instant since = status == null ? null : status.phaseSince();
    return Objects.requireNonNullElse(
        since, Objects.requireNonNullElse(recovery.spec().detectedAt(), Instant.EPOCH));
  }

  private static Duration within(Duration one, Duration least, Duration most) {
    if (one.compareTo(least) < 0) {
      return least;
    }
    return one.compareTo(most) > 0 ? most : one;
  }
}
