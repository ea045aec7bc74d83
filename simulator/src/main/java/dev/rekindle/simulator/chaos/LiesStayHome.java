package dev.rekindle.simulator.chaos;

import dev.rekindle.api.CheckpointVerdict;
import dev.rekindle.api.PinnedCheckpoint;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.ResumeResult;
import dev.rekindle.controller.model.RankView;
import dev.rekindle.simulator.world.JobObject;
import dev.rekindle.simulator.world.PodObject;
import dev.rekindle.simulator.world.RankObject;
import dev.rekindle.simulator.world.RecoveryObject;
import dev.rekindle.simulator.world.World;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Invariant 34: false reports of an agent about pods of its own node stop no job without a pod
 * there. If ranks on other nodes have reported a step of the new generation, Recovered means that
 * the gang has really stepped past its checkpoint, unless it says that the script began before it.
 * Why: a compromised node may harm the gangs on it, within their budgets, and nothing else. {@link
 * Fences} checks that no other node is fenced for it. Other checks cover that the budget holds, no
 * job stays suspended and every recovery ends; none of them excuses a false report.
 */
final class LiesStayHome extends Check {
  private static final String FAR = Long.toString(LyingAgent.FAR / 1_000);

  LiesStayHome(World world, Invariants all) {
    super(world, all, Invariant.LIES_STAY_HOME);
  }

  @Override
  public void saved(RecoveryObject before, @Nullable RecoveryStatus after) {
    if (after == null) {
      return;
    }
    boolean concerned = world.agentLies().concern(before.view().job());
    String all = textOf(after);
    if (!concerned && (all.contains(LyingAgent.TEXT) || all.contains(FAR))) {
      broken(
          "recovery %s repeats what a stolen agent made up of pods of another job"
              .formatted(before.meta().key()));
    }
    if (concerned
        && after.phase() == RecoveryPhase.RECOVERED
        && before.open()
        && after.outcome() != null
        && after.outcome().firstStepAfter() != null
        && after.outcome().resume() != ResumeResult.BEHIND) {
      jobOf(before).ifPresent(job -> recovered(before, after, job));
    }
  }

  private void recovered(RecoveryObject recovery, RecoveryStatus after, JobObject job) {
    long pinned = pinned(after);
    List<Long> honest = honestSteps(job);
    if (!honest.isEmpty() && honest.stream().allMatch(step -> step <= pinned)) {
      broken(
          "recovery %s says Recovered; ranks on other nodes are at %s, its checkpoint is of step %d"
              .formatted(recovery.meta().key(), honest, pinned));
    }
  }

  private static long pinned(RecoveryStatus status) {
    PinnedCheckpoint pin = status.plan() == null ? null : status.plan().checkpoint();
    Long step = pin == null || pin.verdict() != CheckpointVerdict.VALID ? null : pin.step();
    return step == null ? 0 : step;
  }

  /** What reports of other nodes on the containers that run now say. */
  private List<Long> honestSteps(JobObject job) {
    Map<String, PodObject> pods = new HashMap<>();
    world.podsOf(job).forEach(pod -> pods.put(pod.meta().uid(), pod));
    return world.ranks().list().stream()
        .filter(this::counts)
        .map(RankObject::view)
        .filter(rank -> !rank.node().equals(world.agentLies().node()))
        .filter(rank -> runsStill(rank, pods.get(rank.podUid())))
        .map(RankView::lastStep)
        .filter(Objects::nonNull)
        .toList();
  }

  private static boolean runsStill(RankView rank, @Nullable PodObject pod) {
    return pod != null && rank.restartCount() == pod.status().restarts();
  }
}
