package dev.rekindle.simulator.chaos;

import dev.rekindle.api.CauseReason;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RecoveryStatus.Cause;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.simulator.world.JobObject;
import dev.rekindle.simulator.world.PodObject;
import dev.rekindle.simulator.world.RankObject;
import dev.rekindle.simulator.world.RecoveryObject;
import dev.rekindle.simulator.world.World;
import java.time.Instant;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Invariant 58: no recovery begins for the end of a pod whose launcher has ended with the code that
 * asks never to be restarted, and whose gang has made no step since. No bound: the code is in the
 * status that shows the end. Why: the launcher has already tried a restart, and has found that it
 * does not help.
 */
final class NeverRestarted extends Check {
  /** Other reasons than these may be known earlier than the code (seed 403). */
  private static final Set<String> ENDS =
      Set.of(
          CauseReason.POD_FAILED.word(),
          CauseReason.JOB_FAILED.word(),
          CauseReason.CONTAINER_ENDED.word(),
          CauseReason.CHECKPOINT_NOT_LOADED.word());

  private static final Pattern END = Pattern.compile("ended (?:with code (\\d+)|by signal \\d+)");

  NeverRestarted(World world, Invariants all) {
    super(world, all, Invariant.NEVER_RESTARTED);
  }

  @Override
  public void saved(RecoveryObject before, @Nullable RecoveryStatus after) {
    Cause cause = after == null ? null : after.cause();
    JobObject job = jobOf(before).orElse(null);
    if (before.status() != null || isOver(after) || cause == null || job == null) {
      return;
    }
    Instant stepped = world.gang(job.meta().uid()).training().lastStep();
    for (PodObject pod : world.podsOf(job)) {
      Instant exit = pod.status().lastExit();
      if (ENDS.contains(cause.reason())
          && asks(pod)
          && !isForAnotherEnd(cause)
          && cause.suspectPods().contains(pod.meta().name())
          && exit != null
          && exit.plusSeconds(1).isAfter(stepped)
          && !isSaidToStep(job, exit)) {
        broken(
            job.key(),
            "recovery %s is for pod %s of job %s (%s), which asked at %s never to be restarted"
                .formatted(
                    before.meta().key(), pod.meta().name(), job.key(), cause.message(), exit));
      }
    }
  }

  /** By a report, whose agent's clock may be wrong. */
  private boolean isSaidToStep(JobObject job, Instant exit) {
    for (RankObject rank : world.ranks().all()) {
      Instant last = rank.view().lastStepTime();
      if (rank.view().job().equals(job.key())
          && last != null
          && last.isAfter(exit.plusSeconds(1))) {
        return true;
      }
    }
    return false;
  }

  /**
   * Decided before the watch showed that the container has ended again (seeds 93012604, 95030766).
   */
  private static boolean isForAnotherEnd(Cause cause) {
    Matcher end = END.matcher(cause.message());
    if (!end.find()) {
      return false;
    }
    String code = end.group(1);
    return code == null || Integer.parseInt(code) != PodView.Failure.NEVER_RESTART;
  }

  private static boolean asks(PodObject pod) {
    PodView.Failure failure = pod.status().failure();
    return failure != null && failure.hasExitCode(PodView.Failure.NEVER_RESTART);
  }
}
