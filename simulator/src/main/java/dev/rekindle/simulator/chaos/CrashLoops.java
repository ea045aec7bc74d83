package dev.rekindle.simulator.chaos;

import dev.rekindle.controller.model.JobKey;
import dev.rekindle.simulator.api.Change;
import dev.rekindle.simulator.world.JobObject;
import dev.rekindle.simulator.world.OrderObject;
import dev.rekindle.simulator.world.RecoveryObject;
import dev.rekindle.simulator.world.Storage;
import dev.rekindle.simulator.world.World;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A checkpoint that is poisoned is tried twice at most, once its gangs have shown what is wrong
 * with it. Why: each cycle costs the whole gang minutes, and nothing about the next is different.
 */
final class CrashLoops extends Check {
  private static final int MOST = 2;

  /** One start from a checkpoint, and how far the job had ever come. */
  private record Start(long step, long furthest) {}

  private final Map<String, List<Start>> starts = new HashMap<>();
  private final Set<String> begun = new HashSet<>();

  CrashLoops(World world, Invariants all) {
    super(world, all, Invariant.CRASH_LOOP);
    world.recoveries().watch(this::recoveryChanged);
  }

  /** Somebody deleted the record: what it said is forgotten with it. */
  private void recoveryChanged(Change<RecoveryObject> change) {
    if (change.after() == null) {
      jobOf(change.object())
          .ifPresent(job -> world.gang(job.meta().uid()).training().storage().forgetShown());
    }
  }

  @Override
  public void wrote(JobObject before, JobObject after, String verb, String recovery) {
    if (verb.equals("resume") && after.template().resumeStep() >= 0) {
      starts(before, after.template().resumeStep());
    }
  }

  @Override
  public void begins(JobKey key, String generation, JobObject.Template template, long from) {
    JobObject job = world.jobs().find(key.toString()).orElse(null);
    if (job == null || !begun.add(job.meta().uid() + generation)) {
      return;
    }
    if (orderOf(job).map(OrderObject::generation).filter(generation::equals).isPresent()) {
      starts(job, from);
    }
  }

  private void starts(JobObject job, long step) {
    Storage storage = world.gang(job.meta().uid()).training().storage();
    if (storage.poison(step) != null && storage.shown(step) >= MOST) {
      broken(
          "job %s is started from step %d, which is poisoned, as %d gangs have shown"
              .formatted(job.key(), step, storage.shown(step)));
    }
    starts
        .computeIfAbsent(job.meta().uid(), _ -> new ArrayList<>())
        .add(new Start(step, furthest(job)));
  }

  /** Whether an older checkpoint than that may be taken: it is no good, or did not help twice. */
  boolean mayGoBackFrom(JobObject job, long newest) {
    long furthest = furthest(job);
    Storage storage = world.gang(job.meta().uid()).training().storage();
    return storage.poison(newest) != null
        || starts.getOrDefault(job.meta().uid(), List.of()).stream()
                .filter(s -> s.step() == newest && s.furthest() == furthest)
                .count()
            >= MOST;
  }

  private long furthest(JobObject job) {
    return world.gang(job.meta().uid()).training().furthest();
  }
}
