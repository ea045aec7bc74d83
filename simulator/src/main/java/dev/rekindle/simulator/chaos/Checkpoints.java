package dev.rekindle.simulator.chaos;

import dev.rekindle.api.CheckpointVerdict;
import dev.rekindle.api.PinnedCheckpoint;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.simulator.api.Change;
import dev.rekindle.simulator.world.JobObject;
import dev.rekindle.simulator.world.OrderObject;
import dev.rekindle.simulator.world.RecoveryObject;
import dev.rekindle.simulator.world.Storage;
import dev.rekindle.simulator.world.World;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Invariant 8: a job never resumes from a torn checkpoint, nor from one that is not the newest
 * valid, unless its script asked to go back, or it failed twice from that one or could not load it;
 * then never from an abandoned one. Bound: a judgement from before a checkpoint was torn may be
 * wrong for {@link #UNDER_WAY}. Why: a wrong step costs work, or gives a wrong model. Of a restart
 * in place also 11: nothing newer than the pinned checkpoint appears. Where each node keeps a copy
 * {@link LocalCheckpoints} inspects what is pinned.
 */
final class Checkpoints extends Check {
  private final Map<String, Instant> torn = new HashMap<>();

  /** By recovery, the step that its job is to go back to before. */
  private final Map<String, Long> rollBacks = new HashMap<>();

  /** Generations that were started in place. */
  private final Set<String> begun = new HashSet<>();

  private final CrashLoops loops;

  Checkpoints(World world, Invariants all, CrashLoops loops) {
    super(world, all, Invariant.VALID_CHECKPOINT);
    this.loops = loops;
    world.recoveries().watch(this::recoveryChanged);
  }

  private void recoveryChanged(Change<RecoveryObject> change) {
    if (change.after() == null) {
      // The record was deleted, and its counts with it.
      jobOf(change.object())
          .ifPresent(job -> world.gang(job.meta().uid()).training().storage().forgetGoingBack());
    }
  }

  /** A checkpoint has just lost its wholeness: who has judged it before may be wrong about it. */
  void torn(JobKey job) {
    torn.put(job.toString(), now());
  }

  boolean tornLately(JobKey job) {
    Instant at = torn.get(job.toString());
    return at != null && !longAgo(at);
  }

  @Override
  public void saved(RecoveryObject before, @Nullable RecoveryStatus after) {
    if (!isOver(before.status())
        && after != null
        && after.cause() != null
        && after.cause().beforeStep() != null) {
      rollBacks.put(before.meta().key(), after.cause().beforeStep());
    }
  }

  @Override
  public void begins(JobKey key, String generation, JobObject.Template template, long from) {
    JobObject job = world.jobs().find(key.toString()).orElse(null);
    if (job == null || !begun.add(job.meta().uid() + generation)) {
      return;
    }
    OrderObject order = orderOf(job).filter(o -> o.generation().equals(generation)).orElse(null);
    if (order == null) {
      return;
    }
    RecoveryObject recovery = world.recoveries().find(order.recovery()).orElse(null);
    if (recovery == null || !inPlace(recovery.status())) {
      return;
    }
    Storage storage = world.gang(job.meta().uid()).training().storage();
    if (storage.isOnEachNode()) {
      return;
    }
    if (tornLately(key)) {
      wentBack(order.recovery(), from, storage);
      return;
    }
    long newest = storage.newestValid(now());
    Long pin = pinned(recovery.status());
    boolean back = from < newest && storage.valid(from, now());
    if (back && (from == wanted(order.recovery(), storage) || loops.mayGoBackFrom(job, newest))) {
      storage.goBack(from);
    } else if (from != newest) {
      broken(
          key,
          "job %s begins in place at step %d; the newest valid checkpoint is of step %d"
              .formatted(key, from, newest));
    } else if (pin != null && pin != newest) {
      broken(
          key,
          Invariant.BARRIER,
          "job %s has a checkpoint of step %d; step %d was pinned for its restart in place"
              .formatted(key, newest, pin));
    }
  }

  private static @Nullable Long pinned(@Nullable RecoveryStatus status) {
    return Optional.ofNullable(status)
        .map(RecoveryStatus::plan)
        .map(RecoveryStatus.Plan::checkpoint)
        .filter(pin -> pin.verdict() == CheckpointVerdict.VALID)
        .map(PinnedCheckpoint::step)
        .orElse(null);
  }

  @Override
  public void wrote(JobObject before, JobObject after, String verb, String recovery) {
    if (verb.equals("resume")) {
      String key = before.key().namespace() + "/" + recovery;
      resumes(before, after, world.recoveries().find(key).orElse(null), key);
    }
  }

  private void resumes(
      JobObject before, JobObject after, @Nullable RecoveryObject by, String recovery) {
    Storage storage = world.gang(before.meta().uid()).training().storage();
    long newest = storage.newestValid(now());
    long ordered = after.template().resumeStep();
    if (tornLately(before.key())) {
      wentBack(recovery, ordered, storage);
      return;
    }
    if (storage.isOnEachNode() && ordered >= 0) {
      return;
    }
    if (ordered >= 0 && !storage.valid(ordered, now())) {
      broken(
          before.key(),
          "job %s is to resume from step %d, which is torn".formatted(before.key(), ordered));
    } else if (ordered >= 0
        && ordered < newest
        && (ordered == wanted(recovery, storage) || loops.mayGoBackFrom(before, newest))) {
      storage.goBack(ordered);
    } else if (ordered >= 0 && ordered != newest) {
      broken(
          before.key(),
          "job %s is to resume from step %d; the newest valid one is of step %d"
              .formatted(before.key(), ordered, newest));
    } else if (ordered < 0 && by != null && left(by) && storage.newestGivenUp(now())) {
      broken(
          before.key(),
          "job %s is left to its script, which takes up what it gave up".formatted(before.key()));
    } else if (newest > 0
        && by != null
        && verdict(by) == CheckpointVerdict.NONE
        && !storage.isOnEachNode()) {
      broken(
          before.key(),
          "job %s starts over; there is a checkpoint of step %d".formatted(before.key(), newest));
    }
  }

  /** Whatever else may be excused: what a script gives up stays given up. */
  private void wentBack(String recovery, long to, Storage storage) {
    Long before = rollBacks.get(recovery);
    if (before != null && to >= 0 && to < before && to < storage.newestValid(now())) {
      storage.goBack(to);
    }
  }

  /** Where training is to continue: at the newest checkpoint, unless its script asks to go back. */
  private long wanted(String recovery, Storage storage) {
    Long before = rollBacks.get(recovery);
    return before == null ? storage.newestValid(now()) : storage.newestValidBefore(before, now());
  }

  /** Whether nothing was judged, and the script decides. */
  private static boolean left(RecoveryObject recovery) {
    return verdict(recovery) == CheckpointVerdict.UNKNOWN;
  }

  private static @Nullable CheckpointVerdict verdict(RecoveryObject recovery) {
    return Optional.ofNullable(recovery.status())
        .map(RecoveryStatus::plan)
        .map(RecoveryStatus.Plan::checkpoint)
        .map(PinnedCheckpoint::verdict)
        .orElse(null);
  }
}
