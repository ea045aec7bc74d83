package dev.rekindle.simulator.chaos;

import dev.rekindle.simulator.world.JobObject;
import dev.rekindle.simulator.world.OrderObject;
import dev.rekindle.simulator.world.RecoveryObject;
import dev.rekindle.simulator.world.World;
import org.jspecify.annotations.Nullable;

/** A recovery touches its own job, and no other one. */
final class JobIsolation extends Check {
  JobIsolation(World world, Invariants all) {
    super(world, all, Invariant.OWN_ONLY);
  }

  @Override
  public void wrote(JobObject before, JobObject after, String verb, String recovery) {
    String key = before.key().namespace() + "/" + recovery;
    RecoveryObject by = world.recoveries().find(key).orElse(null);
    if (by != null && !by.spec().jobUid().equals(before.meta().uid())) {
      broken(
          "%s of job %s (%s) by recovery %s, which is for %s"
              .formatted(verb, before.key(), before.meta().uid(), recovery, by.spec().jobUid()));
    }
  }

  @Override
  public void ordered(@Nullable OrderObject before, OrderObject after) {
    RecoveryObject by = world.recoveries().find(after.recovery()).orElse(null);
    // A late order for a job that is gone is none for the pods of the one that has its name now.
    boolean concerns = jobOf(after).isPresent();
    if (concerns && by != null && !by.spec().jobUid().equals(after.spec().jobUid())) {
      broken(
          "order %s is for the job with UID %s, its recovery for %s"
              .formatted(after.meta().name(), after.spec().jobUid(), by.spec().jobUid()));
    }
  }
}
