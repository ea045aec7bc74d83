package dev.rekindle.controller.diagnosis;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RecoveryStatus.Cause;
import dev.rekindle.api.StallFinding;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.model.RecoveryView;
import java.time.Instant;
import java.util.Collection;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/** Stalls that a job was restarted for, within the window of its budget. */
public final class StallHistory {
  /** As many stalls in which no rank could be named are restarted, and then a person is needed. */
  private static final int UNEXPLAINED = 2;

  private StallHistory() {}

  /**
   * Their causes.
   *
   * @param recoveries of the job
   */
  public static Stream<Cause> of(Collection<RecoveryView> recoveries, Policy policy, Instant now) {
    Instant since = now.minus(policy.budgetWindow());
    return recoveries.stream()
        .map(r -> r.status())
        .filter(Objects::nonNull)
        .filter(status -> Restarts.of(status).stream().anyMatch(at -> !at.isBefore(since)))
        .map(status -> status.cause())
        .filter(Objects::nonNull)
        .filter(cause -> cause.reason().equals(Cause.STALLED));
  }

  /** Causes of those that were none, within that window: the dumps showed that the job trained. */
  static Stream<Cause> refuted(Collection<RecoveryView> recoveries, Policy policy, Instant now) {
    Instant since = now.minus(policy.budgetWindow());
    return recoveries.stream()
        .map(r -> r.status())
        .filter(Objects::nonNull)
        .filter(status -> status.phase() == RecoveryPhase.CANCELLED)
        .filter(status -> !time(status).isBefore(since))
        .map(status -> status.cause())
        .filter(Objects::nonNull)
        .filter(StallHistory::isRefuted);
  }

  private static Instant time(RecoveryStatus status) {
    return Objects.requireNonNullElse(status.phaseSince(), Instant.EPOCH);
  }

  private static boolean isRefuted(Cause cause) {
    StallFinding stall = cause.stall();
    return stall != null && stall.refuted();
  }

  /**
   * Why another restart is not worth its time: whatever stalls this job outlives restarts, and
   * leaves no trace that agents can find.
   */
  static Optional<String> unexplained(JobSnapshot s, Policy policy, Instant now) {
    long stalls =
        of(s.recoveries(), policy, now)
            .map(Cause::stall)
            .filter(stall -> stall == null || !stall.named())
            .count();
    return stalls < UNEXPLAINED
        ? Optional.empty()
        : Optional.of(
            "%d stalls within %s in which no rank could be named"
                .formatted(stalls, policy.budgetWindow()));
  }
}
