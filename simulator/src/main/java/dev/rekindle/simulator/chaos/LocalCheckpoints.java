package dev.rekindle.simulator.chaos;

import dev.rekindle.api.CheckpointVerdict;
import dev.rekindle.api.PinnedCheckpoint;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.NodeView.Readiness;
import dev.rekindle.simulator.world.JobObject;
import dev.rekindle.simulator.world.RecoveryObject;
import dev.rekindle.simulator.world.Storage;
import dev.rekindle.simulator.world.StoredCopies;
import dev.rekindle.simulator.world.World;
import java.time.Duration;
import java.util.HashSet;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Invariant 55, of jobs whose nodes keep a copy each: what is pinned is whole on each node that it
 * is pinned for, of one save, and the newest such; no gang starts from copies of two saves that
 * were given to it, and none starts over while the nodes on which it met last are usable and have a
 * whole one. Bounds: a judgement from before a copy was torn, or from before a machine was
 * replaced, may be wrong for {@link #UNDER_WAY}; copies of two saves that were written within a
 * minute of each other look the same. Why: ranks with states of two saves train on, and nothing
 * shows it.
 */
final class LocalCheckpoints extends Check {
  private static final Duration APART = Duration.ofMinutes(1);

  private final Checkpoints checkpoints;
  private final CrashLoops loops;

  /** Generations that were started. */
  private final Set<String> begun = new HashSet<>();

  private final GangChanges changes;

  LocalCheckpoints(
      World world, Invariants all, Checkpoints checkpoints, CrashLoops loops, GangChanges changes) {
    super(world, all, Invariant.LOCAL_CHECKPOINT);
    this.checkpoints = checkpoints;
    this.loops = loops;
    this.changes = changes;
  }

  @Override
  public void wrote(JobObject before, JobObject after, String verb, String recovery) {
    if (verb.equals("resume")) {
      world
          .recoveries()
          .find(before.key().namespace() + "/" + recovery)
          .ifPresent(by -> resumes(before, by));
    }
  }

  @Override
  public void begins(JobKey key, String generation, JobObject.Template template, long from) {
    JobObject job = world.jobs().find(key.toString()).orElse(null);
    if (job == null || !begun.add(job.meta().uid() + generation)) {
      return;
    }
    Storage storage = storage(job);
    if (!storage.isOnEachNode() || checkpoints.tornLately(key)) {
      return;
    }
    StoredCopies copies = storage.copies(now());
    if (from > 0 && template.givenStep() == from && isOfTwoSaves(copies, storage.disks(), from)) {
      broken(
          key,
          "job %s is given step %d and begins from copies of two saves, on %s"
              .formatted(key, from, storage.disks()));
    }
    orderOf(job)
        .filter(order -> order.generation().equals(generation))
        .flatMap(order -> world.recoveries().find(order.recovery()))
        .filter(recovery -> inPlace(recovery.status()))
        .ifPresent(recovery -> resumes(job, recovery));
  }

  private void resumes(JobObject job, RecoveryObject by) {
    Storage storage = storage(job);
    if (storage.isOnEachNode() && isNone(by) && !checkpoints.tornLately(job.key())) {
      startsOver(job, storage);
    }
    PinnedCheckpoint pin = pin(by);
    if (pin == null || !storage.isOnEachNode() || checkpoints.tornLately(job.key())) {
      return;
    }
    long step = Objects.requireNonNull(pin.step());
    if (pin.nodes().isEmpty()) {
      broken(
          job.key(),
          "job %s: step %d is pinned as if all nodes shared it".formatted(job.key(), step));
      return;
    }
    if (pin.nodes().stream().anyMatch(this::isNew)) {
      return;
    }
    if (job.setup().partCopies() > 0 && changes.isResized(job)) {
      // Parts do not say of how many ranks their gang was (seed 10291).
      return;
    }
    Set<String> disks =
        pin.nodes().stream()
            .map(node -> Storage.diskOf(world.machine(node)))
            .collect(Collectors.toCollection(TreeSet::new));
    StoredCopies copies = storage.copies(now());
    long newest = copies.newest(disks);
    if (!copies.isWhole(disks, step)) {
      broken(
          job.key(),
          "job %s: step %d is pinned, and is not whole on each of %s"
              .formatted(job.key(), step, disks));
    } else if (isOfTwoSaves(copies, disks, step)) {
      broken(
          job.key(),
          "job %s: step %d is pinned, and its copies on %s are of two saves"
              .formatted(job.key(), step, disks));
    } else if (step < newest && !mayGoBack(job, by, newest)) {
      broken(
          job.key(),
          "job %s: step %d is pinned; all of %s have step %d"
              .formatted(job.key(), step, disks, newest));
    } else if (step < newest) {
      storage.goBack(step);
    }
  }

  /** Whether it is, and its times show it. */
  private static boolean isOfTwoSaves(StoredCopies copies, Set<String> disks, long step) {
    return !copies.isOneSave(disks, step)
        && (copies.apart(disks, step).compareTo(APART) > 0 || !copies.isInOrder(disks, step));
  }

  private void startsOver(JobObject job, Storage storage) {
    Set<String> disks = storage.disks();
    if (job.setup().rankZeroSaves() && !changes.isLeaderOn(job, disks)) {
      // Others have moved it, by a taint, say: nothing shows where it was before (seed 30376).
      return;
    }
    Set<String> usable =
        world.nodes().list().stream()
            .filter(n -> n.readiness() == Readiness.READY && !n.unschedulable())
            .map(n -> n.meta().name())
            .filter(name -> !isNew(name))
            .map(name -> Storage.diskOf(world.machine(name)))
            .collect(Collectors.toSet());
    long newest = storage.copies(now()).newest(disks);
    if (newest > 0 && usable.containsAll(disks)) {
      broken(
          job.key(),
          "job %s starts over; all of %s have step %d".formatted(job.key(), disks, newest));
    }
  }

  private static boolean isNone(RecoveryObject recovery) {
    return Optional.ofNullable(recovery.status())
        .map(RecoveryStatus::plan)
        .map(RecoveryStatus.Plan::checkpoint)
        .filter(pin -> pin.verdict() == CheckpointVerdict.NONE)
        .isPresent();
  }

  /** What is known of a Node may be of the machine that was there before. */
  private boolean isNew(String node) {
    return world.nodes().find(node).filter(n -> longAgo(n.meta().created())).isEmpty();
  }

  private boolean mayGoBack(JobObject job, RecoveryObject by, long newest) {
    RecoveryStatus.Cause cause = by.status() == null ? null : by.status().cause();
    return (cause != null && cause.beforeStep() != null) || loops.mayGoBackFrom(job, newest);
  }

  private Storage storage(JobObject job) {
    return world.gang(job.meta().uid()).training().storage();
  }

  private static @Nullable PinnedCheckpoint pin(RecoveryObject recovery) {
    return Optional.ofNullable(recovery.status())
        .map(RecoveryStatus::plan)
        .map(RecoveryStatus.Plan::checkpoint)
        .filter(pin -> pin.verdict() == CheckpointVerdict.VALID)
        .orElse(null);
  }
}
