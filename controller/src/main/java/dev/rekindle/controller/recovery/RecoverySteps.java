package dev.rekindle.controller.recovery;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.model.Reason;
import dev.rekindle.controller.model.RecoveryView;
import dev.rekindle.controller.policy.RuledJob;
import dev.rekindle.controller.port.ClusterGateway.BreakerFullException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * Takes an open recovery through its phases: observes with {@link RecoveryObserver}, decides with
 * {@link RecoveryMachine}, and stores a move or carries the effects of the stored phase out.
 */
final class RecoverySteps {
  /**
   * A reconcile may move through several phases at once; more than that in one go would be a loop.
   */
  private static final int MAX_STEPS = 16;

  /** A full breaker is retried after a pause: a node must be released, or a cache catch up. */
  private static final Duration BREAKER_FULL = Duration.ofSeconds(5);

  private final JobFacts facts;
  private final RecoveryObserver observer;
  private final PhaseTimes phases;
  private final Effects effects;
  private final InspectorSession inspectors;
  private final OrderWithdrawal orders;
  private final RecoveryWriter writer;
  private final InstantSource clock;

  RecoverySteps(
      JobFacts facts,
      RecoveryObserver observer,
      PhaseTimes phases,
      Effects effects,
      InspectorSession inspectors,
      OrderWithdrawal orders,
      RecoveryWriter writer,
      InstantSource clock) {
    this.facts = facts;
    this.observer = observer;
    this.phases = phases;
    this.effects = effects;
    this.inspectors = inspectors;
    this.orders = orders;
    this.writer = writer;
    this.clock = clock;
  }

  /** No recovery of the job is open any more. */
  void forget(JobKey key) {
    inspectors.forget(key);
    observer.forget(key);
    phases.forget(key);
  }

  /**
   * Observes, decides and acts until the recovery waits or is over.
   *
   * @return when to reconcile it again
   */
  Optional<Duration> advance(JobKey key, RecoveryView recovery) {
    orders.withdrawAllBut(key, recovery.name());
    RecoveryView current = recovery;
    for (int step = 0; step < MAX_STEPS; step++) {
      Optional<RuledJob> ruled = facts.jobOf(current);
      RecoverySnapshot seen = observer.observe(key, current, ruled);
      // The calls of a reconcile take time: what the clock is set by meanwhile must not count
      // either.
      Instant now = clock.instant();
      RecoverySnapshot snapshot = seen.withRecovery(phases.settled(current, now));
      Policy policy = ruled.map(RuledJob::policy).orElse(Policy.DEFAULT);
      switch (RecoveryMachine.decide(snapshot, policy, now)) {
        case Decision.Move(RecoveryStatus next, List<Decision.Note> notes) -> {
          current = writer.move(key, current, next, notes);
          if (!current.open()) {
            return tidyUp(key, current);
          }
        }
        case Decision.Act act -> {
          Optional<BreakerFullException> full = effects.carryOut(key, current, act);
          if (full.isPresent()) {
            breakerFull(key, current, snapshot, String.valueOf(full.get().getMessage()));
            return Optional.of(BREAKER_FULL);
          }
          return effects
              .failures(key, current.name())
              .soonest(clock.instant())
              .filter(soon -> soon.compareTo(act.recheck()) < 0)
              .or(() -> Optional.of(act.recheck()));
        }
        case Decision.Wait(_, Duration recheck) -> {
          return Optional.of(recheck);
        }
      }
    }
    throw new IllegalStateException("recovery " + recovery.name() + " does not settle");
  }

  /** An inspector that cannot be removed ends by itself. */
  private Optional<Duration> tidyUp(JobKey key, RecoveryView over) {
    var _ =
        effects.ask(
            key,
            over.name(),
            CallKind.STOP_INSPECTOR,
            () -> {
              inspectors.stop(key, over.name());
              return over;
            });
    inspectors.forget(key);
    effects.over(key);
    orders.withdrawAllBut(key, Effects.NO_RECOVERY);
    return Optional.of(Duration.ZERO);
  }

  private void breakerFull(
      JobKey key, RecoveryView current, RecoverySnapshot snapshot, String why) {
    if (Fencing.breakerFull(snapshot, why, clock.instant())
        instanceof Decision.Move(RecoveryStatus next, List<Decision.Note> notes)) {
      var _ = writer.move(key, current, next, notes);
    }
  }

  /** Ends a recovery whose cause another one has dealt with. */
  Optional<Duration> cancelAnswered(JobKey key, RecoveryView recovery, String other) {
    String why = "recovery %s ended after this one was opened and has answered it".formatted(other);
    RecoveryStatus status = Objects.requireNonNull(recovery.status());
    RecoveryStatus over =
        RecoveryStatusBuilder.enter(status, RecoveryPhase.CANCELLED, why, clock.instant());
    var _ =
        writer.move(
            key, recovery, over, List.of(new Decision.Note(Reason.RECOVERY_CANCELLED, why, "")));
    return Optional.of(Duration.ZERO);
  }
}
