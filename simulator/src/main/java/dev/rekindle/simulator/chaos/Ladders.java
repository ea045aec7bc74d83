package dev.rekindle.simulator.chaos;

import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.ResumeAttempt;
import dev.rekindle.api.ResumeResult;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.simulator.world.JobObject;
import dev.rekindle.simulator.world.OrderObject;
import dev.rekindle.simulator.world.RecoveryObject;
import dev.rekindle.simulator.world.World;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Invariant 71: a job that fails from its checkpoint is tried on other nodes first, then from one
 * checkpoint before, and no further back. So no gang is started from before two checkpoints that
 * its gangs have shown to be unusable since the job made a new step, and one that is rebuilt
 * prefers others to the node on which the one before it crashed. Bound: that of {@link CrashLoops}
 * for what was not seen. Why: if two checkpoints fail, the cause is another one, and each older
 * checkpoint loses more work and hides the cause.
 */
final class Ladders extends Check {
  /** After so many unusable checkpoints no older one is tried. */
  private static final int MOST = 2;

  private final CrashLoops loops;
  private final Checkpoints checkpoints;

  /** Generations that were started in place. */
  private final Set<String> begun = new HashSet<>();

  Ladders(World world, Invariants all, CrashLoops loops, Checkpoints checkpoints) {
    super(world, all, Invariant.LADDER);
    this.loops = loops;
    this.checkpoints = checkpoints;
  }

  @Override
  public void wrote(JobObject before, JobObject after, String verb, String recovery) {
    if (!verb.equals("resume")) {
      return;
    }
    if (after.template().resumeStep() >= 0) {
      startsFrom(before, after.template().resumeStep());
    }
    if (before.queue().isEmpty()) {
      world
          .recoveries()
          .find(before.key().namespace() + "/" + recovery)
          .ifPresent(by -> avoids(before, after, by));
    }
  }

  @Override
  public void begins(JobKey key, String generation, JobObject.Template template, long from) {
    JobObject job = world.jobs().find(key.toString()).orElse(null);
    if (job != null
        && begun.add(job.meta().uid() + generation)
        && orderOf(job).map(OrderObject::generation).filter(generation::equals).isPresent()) {
      startsFrom(job, from);
    }
  }

  private void startsFrom(JobObject job, long step) {
    List<Long> spent = loops.spent(job).stream().filter(other -> other > step).toList();
    if (spent.size() >= MOST && !checkpoints.tornLately(job.key())) {
      broken(
          job.key(),
          "job %s is started from step %d, after those of steps %s have failed it"
              .formatted(job.key(), step, spent));
    }
  }

  private void avoids(JobObject job, JobObject after, RecoveryObject by) {
    RecoveryStatus status = by.status();
    if (status == null || status.resumes().isEmpty()) {
      return;
    }
    ResumeAttempt last = status.resumes().getLast();
    boolean crashed = last.result() == ResumeResult.CRASHED && last.step() != null;
    if (crashed
        && !last.node().isEmpty()
        && world.nodes().find(last.node()).isPresent()
        && !after.template().avoided().contains(last.node())
        && !after.template().excluded().contains(last.node())) {
      broken(
          job.key(),
          "job %s crashed on node %s from step %d, and does not avoid it in attempt %d of %s"
              .formatted(job.key(), last.node(), last.step(), status.attempt(), by.meta().name()));
    }
  }
}
