package dev.rekindle.simulator.chaos;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RestartInstruction;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.simulator.api.Change;
import dev.rekindle.simulator.api.Meta;
import dev.rekindle.simulator.world.Gang;
import dev.rekindle.simulator.world.JobObject;
import dev.rekindle.simulator.world.OrderObject;
import dev.rekindle.simulator.world.PodObject;
import dev.rekindle.simulator.world.RecoveryObject;
import dev.rekindle.simulator.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Two generations of one job.
 *
 * <ul>
 *   <li>Invariant 1: their processes never run at the same time. No bound. Why: two gangs that
 *       write the same checkpoints corrupt them.
 *   <li>Invariant 11: no process of the old one computes, writes or serves once a restart in place
 *       relies on that. Bound: a restart may rely on an order that another client has deleted for
 *       {@link #UNDER_WAY}. Why: the pinned checkpoint must stay the newest, and a new rank that
 *       connects to the store of the old rank 0 never trains.
 * </ul>
 */
final class Barrier extends Check {
  /** An order that another hand has taken back, with its namespace for one. */
  private record TakenAway(Instant at, String generation) {}

  /** Orders that the controller takes back. */
  private final Set<String> withdrawn = new HashSet<>();

  /** By the UID of the job. */
  private final Map<String, TakenAway> takenAway = new HashMap<>();

  Barrier(World world, Invariants all) {
    super(world, all, Invariant.BARRIER);
    world.orders().watch(this::orderChanged);
  }

  private void orderChanged(Change<OrderObject> change) {
    if (change.after() == null && !withdrawn.remove(change.object().meta().uid())) {
      OrderObject gone = change.object();
      takenAway.put(gone.spec().jobUid(), new TakenAway(now(), gone.generation()));
    }
  }

  @Override
  public void withdrew(OrderObject before) {
    withdrawn.add(before.meta().uid());
  }

  @Override
  public void runs(JobKey job, Map<String, Integer> running) {
    if (running.size() > 1 && !isStartedByKueue(job, running)) {
      broken(job, Invariant.ONE_GENERATION, "job %s runs as attempts %s".formatted(job, running));
    }
  }

  /**
   * Kueue takes our attempt off a job that it stops and admits again, at times before the operator
   * has ended a pod of the former run (seed 17372). No controller of ours can prevent that.
   */
  private boolean isStartedByKueue(JobKey job, Map<String, Integer> running) {
    return running.containsKey("")
        && world.jobs().find(job.toString()).filter(j -> !j.queue().isEmpty()).isPresent();
  }

  @Override
  public void findsOldStore(JobKey job, String pod, boolean survivor) {
    if (survivor) {
      broken(
          job,
          "pod %s of job %s was restarted while the old leader still serves".formatted(pod, job));
    }
  }

  @Override
  public void ordered(@Nullable OrderObject before, OrderObject after) {
    JobObject job = jobOf(after).orElse(null);
    if (before == null || job == null) {
      return;
    }
    String what = "order %s".formatted(after.meta().name());
    Gang gang = world.gang(job.meta().uid());
    // Agents leave a pod alone that came after the order: that of a rebuild, say, while a
    // controller
    // that stood still continues with its restart in place (seed 79039351).
    Set<String> later =
        world.podsOf(job).stream()
            .map(PodObject::meta)
            .filter(pod -> pod.created().isAfter(after.meta().created()))
            .map(Meta::uid)
            .collect(Collectors.toSet());
    Predicate<String> counts = uid -> !later.contains(uid);
    List<String> unfrozen = gang.processes().unfrozen(after.generation(), counts);
    if (!unfrozen.isEmpty()) {
      broken(
          job.key(),
          "%s restarts job %s while %s are not frozen".formatted(what, job.key(), unfrozen));
    }
    if (after.spec().instruction() == RestartInstruction.RESTART_ALL
        && gang.processes().oldLeader(after.generation(), counts)) {
      broken(
          job.key(),
          "%s restarts all of job %s while its old leader is there".formatted(what, job.key()));
    }
  }

  @Override
  public void deleted(PodObject pod, Duration grace) {
    JobObject job = jobOf(pod).orElse(null);
    if (job != null
        && !job.suspend()
        && open(job).stream().anyMatch(recovery -> inPlace(recovery.status()))) {
      needsBarrier(job, "pod %s is deleted".formatted(pod.meta().name()));
    }
  }

  /** Something counts on it that the old generation does nothing any more. */
  private void needsBarrier(JobObject job, String what) {
    TakenAway gone = takenAway.get(job.meta().uid());
    if (gone != null && !longAgo(gone.at())) {
      // With its namespace, say: what was decided before may be under way.
      return;
    }
    List<String> unfrozen = world.gang(job.meta().uid()).processes().unfrozen(generation(job));
    if (!unfrozen.isEmpty()) {
      broken(
          job.key(), "%s of job %s while %s are not frozen".formatted(what, job.key(), unfrozen));
    }
  }

  private String generation(JobObject job) {
    return orderOf(job)
        .map(OrderObject::generation)
        .or(() -> Optional.ofNullable(takenAway.get(job.meta().uid())).map(TakenAway::generation))
        .orElse("");
  }

  @Override
  public void saved(RecoveryObject before, @Nullable RecoveryStatus after) {
    JobObject job = jobOf(before).orElse(null);
    if (isOver(before.status()) || after == null || job == null || !inPlace(after)) {
      return;
    }
    if (pins(before.status(), after)) {
      needsBarrier(job, "the checkpoint is pinned");
    }
    if (after.phase() == RecoveryPhase.RECOVERED) {
      List<String> others = world.gang(job.meta().uid()).processes().others(generation(job));
      if (!others.isEmpty()) {
        broken(
            job.key(),
            Invariant.ONE_GENERATION,
            "recovery %s is over while %s of the old generation are there"
                .formatted(before.meta().key(), others));
      }
    }
  }

  private static boolean pins(@Nullable RecoveryStatus before, RecoveryStatus after) {
    return Objects.requireNonNull(after.plan()).checkpoint() != null
        && Optional.ofNullable(before)
            .map(RecoveryStatus::plan)
            .map(RecoveryStatus.Plan::checkpoint)
            .isEmpty();
  }
}
