package dev.rekindle.simulator.chaos;

import dev.rekindle.api.CheckpointVerdict;
import dev.rekindle.api.PinnedCheckpoint;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RecoveryStatus.Outcome;
import dev.rekindle.api.RecoveryStatus.Plan;
import dev.rekindle.api.RestartWay;
import dev.rekindle.api.ResumeResult;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.PodView.Phase;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.model.RecoveryView;
import dev.rekindle.simulator.api.Change;
import dev.rekindle.simulator.world.JobObject;
import dev.rekindle.simulator.world.OrderObject;
import dev.rekindle.simulator.world.RecoveryObject;
import dev.rekindle.simulator.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A recovery that says Recovered: its own generation has made a step beyond its checkpoint, and all
 * of its ranks are there. It says so without a step only of a job whose steps it has not seen
 * before, or once it has waited for one for as long as a start may take. Bound: of the last, what
 * its job and policy say has not changed for a minute. Why: a gang that is Ready and never trains
 * holds its GPUs, and no recovery watches it any more.
 */
final class TrueRecovery extends Check {
  private final Policy policy;
  private final Map<String, Instant> verifying = new HashMap<>();
  private final Map<String, Instant> asked = new HashMap<>();
  private Instant edited = Instant.MIN;

  TrueRecovery(World world, Invariants all, Policy policy) {
    super(world, all, Invariant.TRUE_RECOVERY);
    this.policy = policy;
    world.recoveries().watch(this::moved);
    world.jobs().watch(this::jobChanged);
    world.policies().watch(_ -> edited = now());
  }

  private void moved(Change<RecoveryObject> change) {
    RecoveryPhase before = phase(change.before());
    RecoveryPhase after = phase(change.after());
    if (after == RecoveryPhase.VERIFYING && before == RecoveryPhase.RESUMING) {
      verifying.put(change.key(), now());
    }
  }

  private static @Nullable RecoveryPhase phase(@Nullable RecoveryObject recovery) {
    RecoveryStatus status = recovery == null ? null : recovery.status();
    return status == null ? null : status.phase();
  }

  private void jobChanged(Change<JobObject> change) {
    JobObject before = change.before();
    JobObject after = change.after();
    if (before == null
        || after == null
        || !before.optIn().equals(after.optIn())
        || !before.policy().equals(after.policy())) {
      asked.put(change.key(), now());
    }
  }

  /** The process that reports it has seen every rank Ready: none may be missing. */
  @Override
  public void concludes(RecoveryView recovery, List<PodView> seen) {
    RecoveryObject before =
        world.recoveries().find(recovery.namespace() + "/" + recovery.name()).orElse(null);
    JobObject job = before == null ? null : jobOf(before).orElse(null);
    RecoveryStatus was = before == null ? null : before.status();
    if (job == null || was == null || was.phase() != RecoveryPhase.VERIFYING) {
      return;
    }
    long there =
        seen.stream()
            .filter(pod -> pod.jobUid().equals(job.meta().uid()))
            .filter(pod -> pod.phase() == Phase.RUNNING && pod.ready() && !pod.terminating())
            .count();
    if (there < job.setup().ranks()) {
      broken(
          "recovery %s says Recovered, and has seen %d Ready pods; its job has %d ranks"
              .formatted(recovery.name(), there, job.setup().ranks()));
    }
  }

  @Override
  public void saved(RecoveryObject before, @Nullable RecoveryStatus after) {
    RecoveryStatus was = before.status();
    if (after == null
        || after.phase() != RecoveryPhase.RECOVERED
        || was == null
        || was.phase() != RecoveryPhase.VERIFYING) {
      return;
    }
    Plan plan = after.plan();
    Outcome outcome = after.outcome();
    if (plan == null || outcome == null) {
      return;
    }
    if (outcome.firstStepAfter() == null) {
      // Where no step was ever seen, a gang that stays Ready is all there is to see; it says so.
      withoutAStep(before, was);
      return;
    }
    String attempt = before.meta().name() + "-" + after.attempt();
    boolean inPlace = plan.restart() == RestartWay.IN_PLACE;
    String generation = inPlace ? OrderObject.generation(attempt) : attempt;
    long reached =
        world
            .gangs()
            .find(before.spec().jobUid())
            .map(gang -> gang.training().reached(generation))
            .orElse(Long.MAX_VALUE);
    PinnedCheckpoint pin = plan.checkpoint();
    Long step = pin == null || pin.verdict() != CheckpointVerdict.VALID ? null : pin.step();
    long from = step == null ? 0 : step;
    if (reached <= from && outcome.resume() != ResumeResult.BEHIND) {
      broken(
          before.view().job(),
          "recovery %s says Recovered; its generation %s has come to step %d, its checkpoint is of step %d"
              .formatted(before.meta().name(), generation, reached, from));
    }
  }

  private void withoutAStep(RecoveryObject before, RecoveryStatus was) {
    JobObject job = jobOf(before).orElse(null);
    Instant since = verifying.get(before.meta().key());
    if (job == null
        || since == null
        || was.cause() == null
        || was.cause().lastStep() == null
        || clocksWereWrong()
        || mode(job).isEmpty()
        || !longAgo(asked.get(job.meta().key()))
        || !longBefore(edited, now())) {
      return;
    }
    Duration waited = Duration.between(since, now());
    if (waited.compareTo(policy.start()) < 0) {
      broken(
          before.view().job(),
          "recovery %s says Recovered %d s after the gang was started, without a step; before it, one was seen"
              .formatted(before.meta().name(), waited.toSeconds()));
    }
  }
}
