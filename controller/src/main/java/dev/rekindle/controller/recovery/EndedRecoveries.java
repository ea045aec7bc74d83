package dev.rekindle.controller.recovery;

import dev.rekindle.api.ComeBacks;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RollBack;
import dev.rekindle.controller.diagnosis.Restarts;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.model.RecoveryView;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Which ended recoveries of a job are kept. All of them for ever would fill the API server and the
 * controller's memory: a job that crashes every few minutes makes hundreds a day.
 */
final class EndedRecoveries {
  /** So many of the newest are kept for people, whatever they say. */
  static final int KEPT = 20;

  /** A gang that comes back by itself for longer than this is reported in another object. */
  static final Duration TOGETHER = Duration.ofHours(24);

  /** What ended so lately may still be asked about by a watch that lags or a script that asked. */
  private static final Duration LATELY = Duration.ofMinutes(15);

  /** Policies may change, and jobs name others: what they count is kept for a day at least. */
  private static final Duration COUNTED = Duration.ofDays(1);

  private EndedRecoveries() {}

  /**
   * The recovery that also records this comeback of a gang by itself. Empty where another recovery
   * has acted since, or where it began too long ago.
   *
   * @param recoveries of exactly this job
   */
  static Optional<RecoveryView> toCountAgain(
      JobView job, List<RecoveryView> recoveries, Instant now) {
    return recoveries.stream()
        .max(Comparator.comparingInt(r -> RecoveryNames.ordinal(job, r.name())))
        .filter(r -> !r.open())
        .filter(r -> isStillCounted(Objects.requireNonNull(r.status()).comeBacks(), now));
  }

  private static boolean isStillCounted(@Nullable ComeBacks so, Instant now) {
    return so != null
        && so.count() < Integer.MAX_VALUE
        && Duration.between(so.first(), now).abs().compareTo(TOGETHER) < 0;
  }

  /**
   * The recoveries that may go, oldest first. Kept beside the newest is whatever a later decision
   * requests: restarts that the budget counts; what was given up on purpose; the newest that ended
   * well, and the newest that ended at all; one that saw the job print steps; and the one that the
   * job names. Since the newest name stays, no name comes again.
   *
   * @param recoveries of exactly this job
   */
  static List<RecoveryView> superfluous(
      JobView job, List<RecoveryView> recoveries, Policy policy, Instant now) {
    if (recoveries.size() <= KEPT) {
      return List.of();
    }
    List<RecoveryView> newestFirst =
        recoveries.stream()
            .sorted(
                Comparator.comparingInt((RecoveryView r) -> RecoveryNames.ordinal(job, r.name()))
                    .reversed()
                    .thenComparing(RecoveryView::name))
            .toList();
    Set<String> kept = new HashSet<>();
    newestFirst.stream().limit(KEPT).forEach(r -> kept.add(r.name()));
    newest(newestFirst, status -> status.phase() == RecoveryPhase.RECOVERED).ifPresent(kept::add);
    newest(newestFirst, _ -> true).ifPresent(kept::add);
    newest(newestFirst, EndedRecoveries::sawSteps).ifPresent(kept::add);
    Instant counted = now.minus(longer(policy.budgetWindow(), COUNTED));
    return newestFirst.reversed().stream()
        .filter(r -> !r.open() && !kept.contains(r.name()))
        .filter(r -> !r.name().equals(job.suspendedBy()))
        .filter(r -> !isAsked(Objects.requireNonNull(r.status()), counted, now))
        .filter(r -> !isGivenUpStill(r, newestFirst))
        .toList();
  }

  private static boolean isAsked(RecoveryStatus status, Instant counted, Instant now) {
    Instant since = status.phaseSince();
    return since == null
        || since.isAfter(now.minus(LATELY))
        || Restarts.of(status).stream().anyMatch(at -> !at.isBefore(counted));
  }

  /** Whether it went back on purpose, and no other went back at least as far later. */
  private static boolean isGivenUpStill(RecoveryView recovery, List<RecoveryView> all) {
    Optional<RollBack> own = rollBack(recovery);
    return own.isPresent()
        && all.stream()
            .filter(r -> !r.name().equals(recovery.name()))
            .flatMap(r -> rollBack(r).stream())
            .noneMatch(other -> covers(other, own.get()));
  }

  private static boolean covers(RollBack other, RollBack one) {
    return other.to() <= one.to() && other.until().isAfter(one.until());
  }

  private static Optional<RollBack> rollBack(RecoveryView recovery) {
    return Optional.ofNullable(recovery.status()).flatMap(CheckpointPin::rollBack);
  }

  private static Optional<String> newest(
      List<RecoveryView> recoveries, Function<RecoveryStatus, Boolean> which) {
    return recoveries.stream()
        .filter(r -> !r.open() && which.apply(Objects.requireNonNull(r.status())))
        .max(Comparator.comparing(EndedRecoveries::ended))
        .map(RecoveryView::name);
  }

  private static Instant ended(RecoveryView recovery) {
    RecoveryStatus status = recovery.status();
    Instant since = status == null ? null : status.phaseSince();
    return since == null ? Instant.MIN : since;
  }

  private static boolean sawSteps(RecoveryStatus status) {
    return (status.cause() != null && status.cause().lastStep() != null)
        || (status.outcome() != null && status.outcome().firstStepAfter() != null);
  }

  private static Duration longer(Duration a, Duration b) {
    return a.compareTo(b) >= 0 ? a : b;
  }
}
