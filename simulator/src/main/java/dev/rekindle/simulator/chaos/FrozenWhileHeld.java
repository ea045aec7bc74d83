package dev.rekindle.simulator.chaos;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.controller.recovery.HoldReason;
import dev.rekindle.simulator.process.Answers;
import dev.rekindle.simulator.process.Answers.Call;
import dev.rekindle.simulator.world.JobObject;
import dev.rekindle.simulator.world.RecoveryObject;
import dev.rekindle.simulator.world.World;
import java.time.Duration;
import java.util.List;

/**
 * Invariant 42: no gang stays frozen while its recovery is held. Bound: half a minute of calm, for
 * agents that see it; none where orders cannot be withdrawn, or where the breaker is open: such a
 * gang is thawed when its order expires (seed 104). Why: a hold lasts until a person acts, and a
 * frozen gang looks alive.
 */
final class FrozenWhileHeld extends Check {
  private static final Duration BOUND = Duration.ofSeconds(30);

  private final Answers answers;
  private final Overdue overdue = new Overdue(this);

  FrozenWhileHeld(World world, Invariants all, Answers answers) {
    super(world, all, Invariant.FROZEN_WHILE_HELD);
    this.answers = answers;
  }

  @Override
  boolean isWaiting() {
    return !overdue.isEmpty();
  }

  @Override
  void look() {
    for (JobObject job : world.jobs().all()) {
      String key = job.meta().uid();
      List<String> frozen = thawable(job);
      boolean stays =
          !frozen.isEmpty()
              && open(job).stream().anyMatch(FrozenWhileHeld::isHeld)
              && !answers.refusedForGood(Call.WITHDRAW, job.key())
              && !answers.refusedForGood(Call.SAVE, job.key());
      if (!stays) {
        overdue.end(key);
      } else if (overdue.lasts(key, BOUND)) {
        broken("%s of job %s are frozen, and its recovery is held".formatted(frozen, job.key()));
      }
    }
  }

  /**
   * Its frozen pods that an agent could thaw: where there is none, no agent can (seed 93024134).
   */
  private List<String> thawable(JobObject job) {
    List<String> frozen = world.gang(job.meta().uid()).processes().thawable(true);
    return frozen.isEmpty()
        ? frozen
        : frozen.stream()
            .filter(
                key ->
                    world.podsOf(job).stream()
                        .filter(pod -> pod.meta().key().equals(key))
                        .allMatch(pod -> world.nodeAgents().lives(pod.node())))
            .toList();
  }

  private static boolean isHeld(RecoveryObject recovery) {
    RecoveryStatus status = recovery.status();
    return status != null
        && status.phase() == RecoveryPhase.HELD
        && !isHeld(status, HoldReason.BREAKER_OPEN);
  }
}
