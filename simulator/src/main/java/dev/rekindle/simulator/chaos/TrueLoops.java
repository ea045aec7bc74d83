package dev.rekindle.simulator.chaos;

import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.simulator.world.JobObject;
import dev.rekindle.simulator.world.RecoveryObject;
import dev.rekindle.simulator.world.World;
import org.jspecify.annotations.Nullable;

/**
 * Invariant 67: an attempt that is ended for a crash loop before its first step is in one: a
 * kubelet has started a container of its gang again four times at least. Why: a gang that fails a
 * few times during its start would never be recovered.
 */
final class TrueLoops extends Check {
  private static final int LEAST = 4;

  TrueLoops(World world, Invariants all) {
    super(world, all, Invariant.TRUE_LOOPS);
  }

  @Override
  public void saved(RecoveryObject before, @Nullable RecoveryStatus after) {
    RecoveryStatus was = before.status();
    JobObject job = jobOf(before).orElse(null);
    if (job == null
        || after == null
        || was == null
        || after.resumes().size() <= was.resumes().size()
        || !after.resumes().getLast().detail().contains("again and again")) {
      return;
    }
    int most =
        world.podsOf(job).stream().mapToInt(pod -> pod.status().restarts()).max().orElse(LEAST);
    if (most < LEAST) {
      broken(
          job.key(),
          "recovery %s ends an attempt of job %s for a crash loop, after %d restarts of a container"
              .formatted(before.meta().key(), job.key(), most));
    }
  }
}
