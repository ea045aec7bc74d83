package dev.rekindle.controller.recovery;

import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RecoveryStatus.Cause;
import dev.rekindle.api.RollBack;
import dev.rekindle.api.StallFinding;
import dev.rekindle.controller.diagnosis.Restarts;
import dev.rekindle.controller.diagnosis.StallHistory;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.RecoveryView;
import dev.rekindle.controller.policy.RuledJob;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/** What a recovery is to know of the others of its job. */
final class EarlierRecoveries {
  private final JobFacts facts;
  private final InstantSource clock;

  EarlierRecoveries(JobFacts facts, InstantSource clock) {
    this.facts = facts;
    this.clock = clock;
  }

  /** Their status, the oldest first. */
  List<RecoveryStatus> history(JobView job, RecoveryView current) {
    return facts.recoveriesOf(job).stream()
        .filter(r -> !r.name().equals(current.name()))
        .sorted(Comparator.comparingInt(r -> RecoveryNames.ordinal(job, r.name())))
        .map(RecoveryView::status)
        .filter(Objects::nonNull)
        .toList();
  }

  /** Where they went back to an older checkpoint. */
  List<RollBack> rollBacks(JobView job, RecoveryView current) {
    return facts.recoveriesOf(job).stream()
        .filter(r -> !r.name().equals(current.name()))
        .map(RecoveryView::status)
        .filter(Objects::nonNull)
        .flatMap(status -> CheckpointPin.rollBack(status).stream())
        .toList();
  }

  /** Stalls that they found. */
  List<StallFinding> stallsBefore(RuledJob ruled, RecoveryView current) {
    List<RecoveryView> others =
        facts.recoveriesOf(ruled.job()).stream()
            .filter(r -> !r.name().equals(current.name()))
            .toList();
    return StallHistory.of(others, ruled.policy(), clock.instant())
        .map(Cause::stall)
        .filter(Objects::nonNull)
        .toList();
  }

  /** Whether one of them saw steps. */
  boolean sawSteps(JobView job, RecoveryView current) {
    return facts.recoveriesOf(job).stream()
        .anyMatch(r -> !r.name().equals(current.name()) && r.sawSteps());
  }

  /** How often the job was restarted within the window of its budget, by this recovery too. */
  int restarts(RuledJob ruled, RecoveryView current) {
    Stream<RecoveryView> others =
        facts.recoveriesOf(ruled.job()).stream().filter(r -> !r.name().equals(current.name()));
    return Restarts.since(
        Stream.concat(others, Stream.of(current)).toList(),
        clock.instant().minus(ruled.policy().budgetWindow()));
  }
}
