package dev.rekindle.simulator.chaos;

import dev.rekindle.api.CheckpointVerdict;
import dev.rekindle.api.PinnedCheckpoint;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RecoveryStatus.Outcome;
import dev.rekindle.api.RestartWay;
import dev.rekindle.api.ResumeAttempt;
import dev.rekindle.api.ResumeResult;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.simulator.api.Change;
import dev.rekindle.simulator.world.JobObject;
import dev.rekindle.simulator.world.OrderObject;
import dev.rekindle.simulator.world.Poison;
import dev.rekindle.simulator.world.RankObject;
import dev.rekindle.simulator.world.RecoveryObject;
import dev.rekindle.simulator.world.Storage;
import dev.rekindle.simulator.world.World;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A poisoned checkpoint is tried twice at most after its gangs have shown that it is unusable. Why:
 * each cycle costs the whole gang minutes, and the next one gives the same result. Bound: three
 * more if the failure has another reason, such as a faulty node, or was not seen, as while its user
 * had opted out. A start from zero and a crash count only where that checkpoint was pinned; so does
 * any start where each node keeps a copy.
 */
final class CrashLoops extends Check {
  private static final int MOST = 2;

  /** So many gangs may go by without that their checkpoint is blamed. */
  private static final int MOST_OVERLOOKED = 3;

  /** One start from a checkpoint, and how far the job had ever come by the reports. */
  private record Start(long step, long furthest) {}

  private final Map<String, List<Start>> starts = new HashMap<>();

  /** By UID of the job, how often a gang was started with the checkpoint of each step pinned. */
  private final Map<String, Map<Long, Integer>> tried = new HashMap<>();

  private final Set<String> begun = new HashSet<>();

  /** By generation in place of which a process has started, the step of its checkpoint. */
  private final Map<String, Long> started = new HashMap<>();

  /** By job, the highest step that a report has named: what its agents have not seen counts not. */
  private final Map<String, Long> reported = new HashMap<>();

  /**
   * By generation, the step of the checkpoint that was pinned for it. Another one is what its
   * script has chosen, at its first start or after a restart by kubelets.
   */
  private final Map<String, Long> pinned = new HashMap<>();

  /** Attempts that failed for a faulty node, or of which no step was seen, in their order. */
  private final Set<String> overlooked = new LinkedHashSet<>();

  /**
   * Jobs of which a record was deleted: how far they had come is forgotten with it, so that the
   * steps of a gang that starts over look like progress, once (seed 16995).
   */
  private final Set<String> forgotten = new HashSet<>();

  CrashLoops(World world, Invariants all) {
    super(world, all, Invariant.CRASH_LOOP);
    world.recoveries().watch(this::recoveryChanged);
    world.ranks().watch(this::reported);
  }

  /** The record was deleted, and its content with it. */
  private void recoveryChanged(Change<RecoveryObject> change) {
    if (change.after() == null) {
      jobOf(change.object())
          .ifPresent(
              job -> {
                storage(job).forgetShown();
                forgotten.add(job.meta().uid());
              });
      return;
    }
    RecoveryObject recovery = change.object();
    RecoveryStatus status = recovery.status();
    if (status == null) {
      return;
    }
    for (ResumeAttempt attempt : status.resumes()) {
      if (attempt.result() == ResumeResult.INTERRUPTED) {
        overlooked(recovery, attempt.attempt(), attempt.step());
      }
    }
    RecoveryObject before = change.before();
    if (before != null
        && way(before.status()) == RestartWay.IN_PLACE
        && way(status) == RestartWay.REBUILD) {
      // A restart in place that became a rebuild is no attempt of its own (seed 76080070).
      overlooked(recovery, status.attempt(), pinned(Objects.requireNonNull(before.status())));
    }
    if (status.phase() == RecoveryPhase.CANCELLED) {
      // What a gang shows that its user has resumed is for no recovery to see (seed 94827707).
      overlooked(recovery, status.attempt(), pinned(status));
    }
    Outcome outcome = status.outcome();
    if (status.phase() == RecoveryPhase.RECOVERED
        && outcome != null
        && (outcome.resume() == null || outcome.resume() == ResumeResult.UNKNOWN)) {
      overlooked(recovery, status.attempt(), pinned(status));
    }
  }

  private void reported(Change<RankObject> change) {
    RankObject report = change.after();
    Long step = report == null ? null : report.view().lastStep();
    if (report != null && step != null && counts(report)) {
      reported.merge(report.view().job().toString(), step, Math::max);
    }
  }

  /** Nothing that the gang of that attempt has shown speaks against its checkpoint. */
  private void overlooked(RecoveryObject recovery, int attempt, @Nullable Long step) {
    if (step != null) {
      String name = recovery.meta().name() + "-" + attempt;
      overlooked.add(name);
      overlooked.add(OrderObject.generation(name));
    }
  }

  private static @Nullable RestartWay way(@Nullable RecoveryStatus status) {
    return status == null || status.plan() == null ? null : status.plan().restart();
  }

  /** Step of the checkpoint that it has pinned; null without a valid one. */
  private static @Nullable Long pinned(RecoveryStatus status) {
    PinnedCheckpoint pin = status.plan() == null ? null : status.plan().checkpoint();
    return pin == null || pin.verdict() != CheckpointVerdict.VALID ? null : pin.step();
  }

  private Storage storage(JobObject job) {
    return world.gang(job.meta().uid()).training().storage();
  }

  /** How many gangs have shown it while their attempts lasted. */
  private int shown(JobObject job, long step) {
    Set<String> shown = new HashSet<>(storage(job).shown(step));
    // Not even by faults and blindness is it tried without end.
    overlooked.stream().filter(shown::contains).limit(MOST_OVERLOOKED).forEach(shown::remove);
    // Which one a script has chosen is not known on disks that differ (seed 3244), nor of one that
    // crashes or starts over without a word (seed 10285).
    if (isSilent(storage(job).poison(step)) || storage(job).isOnEachNode()) {
      shown.removeIf(generation -> !Long.valueOf(step).equals(pinned.get(generation)));
    }
    return shown.size();
  }

  @Override
  public void wrote(JobObject before, JobObject after, String verb, String recovery) {
    if (verb.equals("resume")) {
      world
          .recoveries()
          .find(before.key().namespace() + "/" + recovery)
          .map(RecoveryObject::status)
          .map(CrashLoops::pinned)
          .ifPresent(step -> tries(before, step));
    }
    if (verb.equals("resume") && after.template().resumeStep() >= 0) {
      judge(before, after.template().resumeStep());
      count(before, after.template().resumeStep());
    }
  }

  /** A gang that crashes before its ranks have met never begins, and was started all the same. */
  @Override
  public void runs(JobKey key, Map<String, Integer> running) {
    JobObject job = world.jobs().find(key.toString()).orElse(null);
    if (job == null) {
      return;
    }
    OrderObject order = orderOf(job).orElse(null);
    if (order == null || !running.containsKey(order.generation())) {
      return;
    }
    for (RecoveryObject recovery : open(job)) {
      RecoveryStatus status = recovery.status();
      Long step = status == null ? null : pinned(status);
      if (step != null
          && recovery.meta().key().equals(order.recovery())
          && started.putIfAbsent(job.meta().uid() + order.generation(), step) == null) {
        count(job, step);
        tries(job, step);
      }
    }
  }

  @Override
  public void begins(JobKey key, String generation, JobObject.Template template, long from) {
    JobObject job = world.jobs().find(key.toString()).orElse(null);
    if (job == null || !begun.add(job.meta().uid() + generation)) {
      return;
    }
    for (RecoveryObject recovery : open(job)) {
      RecoveryStatus status = recovery.status();
      Long step = status == null ? null : pinned(status);
      if (step != null) {
        pinned.put(generation, step);
      }
    }
    if (orderOf(job).map(OrderObject::generation).filter(generation::equals).isPresent()) {
      judge(job, from);
      if (!Long.valueOf(from).equals(started.get(job.meta().uid() + generation))) {
        count(job, from);
      }
    }
  }

  private void judge(JobObject job, long step) {
    int most = forgotten.contains(job.meta().uid()) ? MOST + 1 : MOST;
    if (storage(job).poison(step) != null && shown(job, step) >= most) {
      broken(
          job.key(),
          "job %s is started from step %d, which is poisoned, as %d gangs have shown"
              .formatted(job.key(), step, shown(job, step)));
    }
  }

  private void tries(JobObject job, long step) {
    tried.computeIfAbsent(job.meta().uid(), _ -> new HashMap<>()).merge(step, 1, Integer::sum);
  }

  private void count(JobObject job, long step) {
    starts
        .computeIfAbsent(job.meta().uid(), _ -> new ArrayList<>())
        .add(new Start(step, furthest(job)));
  }

  /** Whether an older checkpoint than that may be taken: it is no good, or did not help twice. */
  boolean mayGoBackFrom(JobObject job, long newest) {
    long furthest = furthest(job);
    return storage(job).poison(newest) != null
        || isCondemned(job, newest)
        || starts.getOrDefault(job.meta().uid(), List.of()).stream()
                .filter(s -> s.step() == newest && s.furthest() == furthest)
                .count()
            >= MOST;
  }

  /**
   * One that an attempt of the open recovery has shown to be no good stays so until the recovery is
   * over, also where a later attempt has saved that step again (seed 76176016). With NaN all goes
   * that was saved after it (seed 94768086).
   */
  private boolean isCondemned(JobObject job, long step) {
    return open(job).stream()
        .map(RecoveryObject::status)
        .filter(Objects::nonNull)
        .flatMap(status -> status.resumes().stream())
        .anyMatch(a -> condemns(a, step));
  }

  private static boolean condemns(ResumeAttempt attempt, long step) {
    Long from = attempt.step();
    return from != null
        && attempt.result().condemns()
        && (from == step || (attempt.result() == ResumeResult.LOSS_NOT_FINITE && from < step));
  }

  /**
   * The checkpoints that are not to be tried again, as gangs have shown since the job came as far
   * as it has ever come: at once where they did not load or gave NaN, else once two have.
   */
  List<Long> spent(JobObject job) {
    long furthest = world.gang(job.meta().uid()).training().furthest();
    return storage(job).shownSteps().stream()
        .filter(step -> storage(job).isShownSince(step, furthest))
        .filter(step -> shown(job, step) >= (condemnsAtOnce(storage(job).poison(step)) ? 1 : MOST))
        .toList();
  }

  private static boolean isSilent(@Nullable Poison poison) {
    return poison == Poison.STARTS_OVER || poison == Poison.CRASHES;
  }

  private static boolean condemnsAtOnce(@Nullable Poison poison) {
    return poison == Poison.DOES_NOT_LOAD || poison == Poison.GIVES_NAN;
  }

  /** Whether something was seen for which a job may be given up: more than one failure. */
  boolean maySayLoop(JobObject job) {
    Map<Long, Integer> times = tried.getOrDefault(job.meta().uid(), Map.of());
    return storage(job).everShown() || times.values().stream().anyMatch(n -> n >= MOST);
  }

  private long furthest(JobObject job) {
    return reported.getOrDefault(job.key().toString(), 0L);
  }
}
