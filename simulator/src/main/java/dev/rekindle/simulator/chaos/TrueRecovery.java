package dev.rekindle.simulator.chaos;

import dev.rekindle.api.CheckpointVerdict;
import dev.rekindle.api.PinnedCheckpoint;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RecoveryStatus.Outcome;
import dev.rekindle.api.RecoveryStatus.Plan;
import dev.rekindle.api.RestartWay;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.PodView.Phase;
import dev.rekindle.controller.model.RecoveryView;
import dev.rekindle.simulator.world.JobObject;
import dev.rekindle.simulator.world.OrderObject;
import dev.rekindle.simulator.world.RecoveryObject;
import dev.rekindle.simulator.world.World;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A recovery that says Recovered: its own generation has made a step beyond its checkpoint, and all
 * of its ranks are there.
 */
final class TrueRecovery extends Check {
  TrueRecovery(World world, Invariants all) {
    super(world, all, Invariant.TRUE_RECOVERY);
  }

  /** The process that says so has seen every rank Ready: none may be missing. */
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
    if (plan == null || outcome == null || outcome.firstStepAfter() == null) {
      // Where no step was ever seen, a gang that stays Ready is all there is to see; it says so.
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
    if (reached <= from) {
      broken(
          before.view().job(),
          "recovery %s says Recovered; its generation %s has come to step %d, its checkpoint is of step %d"
              .formatted(before.meta().name(), generation, reached, from));
    }
  }
}
