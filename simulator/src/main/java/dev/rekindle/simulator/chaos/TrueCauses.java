package dev.rekindle.simulator.chaos;

import dev.rekindle.api.CauseReason;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RecoveryStatus.Cause;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.JobView.Finish;
import dev.rekindle.controller.model.NodeView.Readiness;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.simulator.api.Change;
import dev.rekindle.simulator.world.JobObject;
import dev.rekindle.simulator.world.NodeObject;
import dev.rekindle.simulator.world.PodObject;
import dev.rekindle.simulator.world.Poison;
import dev.rekindle.simulator.world.RecoveryObject;
import dev.rekindle.simulator.world.WorkloadObject;
import dev.rekindle.simulator.world.World;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Invariant 44: the cause of a recovery is true: each node that it blames has a fault, or does not
 * answer; a container that ended has ended with the named code after the job was last recovered; a
 * loss was NaN; an orphan is suspended by a recovery that is gone or did not end well; and the job
 * has not trained normally for a minute. One that is cancelled as it begins is left out. Bound:
 * {@link #UNDER_WAY}. Why: people are paged for it, nodes are fenced for it, and each restart costs
 * a gang's work.
 */
final class TrueCauses extends Check {
  /** What only the end of a process can show. */
  private static final Set<String> ENDS =
      Set.of(
          CauseReason.POD_FAILED.word(),
          CauseReason.JOB_FAILED.word(),
          CauseReason.CONTAINER_ENDED.word(),
          CauseReason.CHECKPOINT_NOT_LOADED.word(),
          CauseReason.RERUN_ASKED.word(),
          CauseReason.RESULT_REJECTED.word());

  private final Evidence evidence;
  private final Trouble trouble;
  private final SeenLosses losses;

  /** By name of a node, when it last was not Ready, or not there. */
  private final Map<String, Instant> away = new HashMap<>();

  /** By UID of a job, when a container of it last ended, or it failed. */
  private final Map<String, Instant> ended = new HashMap<>();

  /** By UID of a job, when a recovery last brought it back. */
  private final Map<String, Instant> recovered = new HashMap<>();

  /** By UID of a job, who last suspended it for us, and until when it was suspended. */
  private final Map<String, Suspension> suspended = new HashMap<>();

  /** UIDs of jobs that were resumed by us. */
  private final Set<String> ours = new HashSet<>();

  /** UIDs of jobs that have ever trained with a loss of NaN. */
  private final Set<String> notFinite = new HashSet<>();

  /** By UID of a job, the exit codes of its containers. */
  private final Map<String, Set<Integer>> codes = new HashMap<>();

  private record Suspension(String by, Instant until) {}

  TrueCauses(World world, Invariants all, Evidence evidence, Trouble trouble, SeenLosses losses) {
    super(world, all, Invariant.TRUE_CAUSES);
    this.losses = losses;
    this.evidence = evidence;
    this.trouble = trouble;
    world.nodes().watch(this::nodeChanged);
    world.pods().watch(this::podChanged);
    world.jobs().watch(this::jobChanged);
    world.queueing().workloads().watch(this::workloadChanged);
    world.recoveries().watch(this::recoveryChanged);
  }

  private void nodeChanged(Change<NodeObject> change) {
    if (!isReady(change.before()) || !isReady(change.after())) {
      away.put(change.key(), now());
    }
  }

  private static boolean isReady(@Nullable NodeObject node) {
    return node != null && node.readiness() == Readiness.READY;
  }

  @Override
  public void begins(JobKey key, String generation, JobObject.Template template, long from) {
    world
        .jobs()
        .find(key.toString())
        .map(job -> job.meta().uid())
        .filter(uid -> world.gang(uid).training().storage().poison(from) == Poison.GIVES_NAN)
        .ifPresent(notFinite::add);
  }

  private void podChanged(Change<PodObject> change) {
    PodView.Failure failure = change.object().status().failure();
    if (failure != null && failure.exitCode() != null) {
      codes
          .computeIfAbsent(change.object().meta().owner(), _ -> new HashSet<>())
          .add(failure.exitCode());
    }
    PodObject before = change.before();
    PodObject after = change.after();
    if (after == null
        || !after.live()
        || (before != null && !before.status().equals(after.status()) && hasEnded(after))) {
      ended.put(change.object().meta().owner(), now());
    }
  }

  private static boolean hasEnded(PodObject pod) {
    return pod.status().lastExit() != null || pod.status().failure() != null;
  }

  private void jobChanged(Change<JobObject> change) {
    JobObject before = change.before();
    JobObject job = change.object();
    if (job.status().finish() == Finish.FAILED) {
      ended.put(job.meta().uid(), now());
    }
    if (!job.view().attempt().isEmpty()) {
      ours.add(job.meta().uid());
    }
    if (before != null && before.suspend() && !before.suspendedBy().isEmpty()) {
      suspended.put(job.meta().uid(), new Suspension(before.suspendedBy(), now()));
    }
  }

  /** Of a job that Kueue admits it is the Workload that says by whom it is stopped. */
  private void workloadChanged(Change<WorkloadObject> change) {
    WorkloadObject before = change.before();
    if (before != null && !before.active() && !before.stoppedBy().isEmpty()) {
      suspended.put(before.meta().owner(), new Suspension(before.stoppedBy(), now()));
    }
  }

  private void recoveryChanged(Change<RecoveryObject> change) {
    if (change.after() == null) {
      // The record was deleted, and its content with it.
      recovered.remove(change.object().spec().jobUid());
    }
  }

  @Override
  public void saved(RecoveryObject before, @Nullable RecoveryStatus after) {
    if (after == null) {
      return;
    }
    Cause cause = after.cause();
    JobObject job = jobOf(before).orElse(null);
    // One whose cause is gone before it is written down restarts nothing (seed 5101208).
    boolean cancelled = after.phase() == RecoveryPhase.CANCELLED;
    if (before.status() == null
        && cause != null
        && job != null
        && after.comeBacks() == null
        && !cancelled) {
      String untrue = untrue(job, cause);
      if (!untrue.isEmpty()) {
        broken(
            job.key(),
            "recovery %s of job %s is for %s (%s); %s"
                .formatted(
                    before.meta().key(), job.key(), cause.reason(), cause.message(), untrue));
      }
    }
    if (after.phase() == RecoveryPhase.RECOVERED) {
      recovered.put(before.spec().jobUid(), now());
    }
  }

  private String untrue(JobObject job, Cause cause) {
    for (String node : cause.faultyNodes()) {
      if (!evidence.faulty(node)
          && !evidence.mayLookFlaky(node)
          && !evidence.replacedLately(node)) {
        return "node " + node + " has no fault of its hardware";
      }
    }
    for (String node : cause.silentNodes()) {
      Instant last = away.get(node);
      if (isReady(world.nodes().find(node).orElse(null)) && (last == null || longAgo(last))) {
        return "node " + node + " was Ready all the time";
      }
    }
    if (cause.reason().equals(Cause.ORPHANED)) {
      return cared(job);
    }
    if (cause.reason().equals(CauseReason.UNPLACED.word()) && !ours.contains(job.meta().uid())) {
      return "it waits for its first place, and never was resumed by us";
    }
    Instant end = ended.get(job.meta().uid());
    if (ENDS.contains(cause.reason())) {
      Instant back = recovered.get(job.meta().uid());
      if (end == null) {
        return "nothing of it has ended";
      }
      if (back != null && end.plus(UNDER_WAY).isBefore(back)) {
        return "nothing of it has ended since %s, and it was brought back at %s"
            .formatted(end, back);
      }
    }
    if (!hasShown(job, cause.reason())) {
      return "no process of it has shown that";
    }
    return trouble.since(job, now().minus(UNDER_WAY))
        ? ""
        : "it has trained for a minute, and nothing is wrong with it";
  }

  /** Whether a launcher has ended with the code that says so, or the loss was ever NaN. */
  private boolean hasShown(JobObject job, String reason) {
    String uid = job.meta().uid();
    if (reason.equals(CauseReason.LOSS_NOT_FINITE.word())) {
      return notFinite.contains(uid) || !losses.showNumber(job);
    }
    Integer code =
        reason.equals(CauseReason.RERUN_ASKED.word())
            ? Integer.valueOf(PodView.Failure.RERUN)
            : reason.equals(CauseReason.RESULT_REJECTED.word())
                ? Integer.valueOf(PodView.Failure.RESULT_REJECTED)
                : null;
    return code == null || codes.getOrDefault(uid, Set.of()).contains(code);
  }

  /** The recovery that takes care of a job that is said to be orphaned; empty if there is none. */
  private String cared(JobObject job) {
    String stoppedBy =
        world
            .queueing()
            .workloads()
            .find(job.key().toString())
            .filter(w -> w.meta().owner().equals(job.meta().uid()) && !w.active())
            .map(WorkloadObject::stoppedBy)
            .orElse(job.suspend() ? job.suspendedBy() : "");
    if (job.suspend() || !stoppedBy.isEmpty()) {
      return world
          .recoveries()
          .find(job.key().namespace() + "/" + stoppedBy)
          .filter(r -> r.open() && r.spec().jobUid().equals(job.meta().uid()))
          .filter(r -> longAgo(r.meta().created()))
          .map(r -> "recovery " + r.meta().name() + " is open")
          .orElse("");
    }
    Suspension last = suspended.get(job.meta().uid());
    if (last == null || longAgo(last.until())) {
      return "it is not suspended";
    }
    return world
        .recoveries()
        .find(job.key().namespace() + "/" + last.by())
        .map(RecoveryObject::status)
        .filter(status -> status.phase() == RecoveryPhase.RECOVERED)
        .map(_ -> "recovery " + last.by() + " has brought it back")
        .orElse("");
  }
}
