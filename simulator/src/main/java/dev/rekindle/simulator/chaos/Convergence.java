package dev.rekindle.simulator.chaos;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.controller.model.ClusterEvent;
import dev.rekindle.controller.model.JobView.Finish;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.Reason;
import dev.rekindle.controller.recovery.HoldReason;
import dev.rekindle.simulator.process.Answers;
import dev.rekindle.simulator.process.Answers.Call;
import dev.rekindle.simulator.world.Gang;
import dev.rekindle.simulator.world.JobObject;
import dev.rekindle.simulator.world.NodeObject;
import dev.rekindle.simulator.world.OrderObject;
import dev.rekindle.simulator.world.RankObject;
import dev.rekindle.simulator.world.RecoveryObject;
import dev.rekindle.simulator.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What must be reached in the calm. {@link SeedRun} asks every five seconds, and keeps the bounds.
 *
 * <ul>
 *   <li>Invariant 2: a job is never left suspended by us without an open Recovery that says why;
 *       for a minute at most. Why: nothing else brings it back.
 *   <li>Invariant 10: every recovery ends, and every opted-in job trains again or an object says
 *       why not, within an hour. Why: this is the purpose of Rekindle.
 *   <li>Invariant 12: no process stays frozen, and no order exists, without an open Recovery; for a
 *       minute at most, except on a machine that hangs, and on one that is cut off before the order
 *       has run out; and while no agent runs at all ({@link AgentUpgrade}). Why: a frozen gang
 *       holds its GPUs and looks alive.
 * </ul>
 */
final class Convergence extends Check {
  /** What was opened so short before the end of a run may still be at its first attempt. */
  private static final Duration JUST = Duration.ofMinutes(10);

  /** Events that say why a job which does not train is left as it is. */
  private static final Set<Reason> WHY_NOT =
      Set.of(
          Reason.BUDGET_EXHAUSTED,
          Reason.STALLS_UNEXPLAINED,
          Reason.POD_CANNOT_START,
          Reason.RESTART_FORBIDDEN,
          // Kueue closes the Workload of a job that has failed, for good.
          Reason.MANAGED_EXTERNALLY,
          Reason.REVIVAL_EXPIRED);

  private static final Set<HoldReason> ENDED_BY_TIME =
      EnumSet.of(
          HoldReason.OUTSIDE_WINDOW, HoldReason.AWAITING_APPROVAL, HoldReason.APPROVAL_EXPIRED);

  /** Agents count from when they first see an order: after an outage, or once they live again. */
  private static final Duration HEARD = Duration.ofMinutes(2);

  /** Clocks of two processes differ by less. */
  private static final Duration APART = Duration.ofSeconds(5);

  private final Answers answers;
  private final Evidence evidence;
  private final Consent consent;
  private final Fences fences;
  private final Map<String, ClusterEvent> refused = new HashMap<>();

  /** UIDs of jobs, and names of nodes, of which an Event says that something is refused. */
  private final Set<String> saidRefused = new HashSet<>();

  /** When the last recovery of a job, by its UID, failed, and said so. */
  private final Map<String, Instant> failed = new HashMap<>();

  /** When the last order for a job, by its UID, expires for agents that get no further news. */
  private final Map<String, Instant> until = new HashMap<>();

  Convergence(
      World world,
      Invariants all,
      Answers answers,
      Evidence evidence,
      Consent consent,
      Fences fences) {
    super(world, all, Invariant.ENDS);
    this.answers = answers;
    this.evidence = evidence;
    this.consent = consent;
    this.fences = fences;
  }

  @Override
  public void opened(RecoveryObject recovery) {
    jobOf(recovery).ifPresent(job -> refused.remove(job.key().toString()));
  }

  @Override
  public void saved(RecoveryObject before, @Nullable RecoveryStatus after) {
    if (after != null && after.phase() == RecoveryPhase.FAILED) {
      failed.put(before.spec().jobUid(), now());
    } else if (after != null && after.phase() == RecoveryPhase.RECOVERED) {
      failed.remove(before.spec().jobUid());
    }
  }

  @Override
  public void announced(ClusterEvent said) {
    if (said.job() != null && WHY_NOT.contains(said.reason())) {
      refused.put(said.job().toString(), said);
    }
    if (said.reason() == Reason.API_REFUSED) {
      saidRefused.add(said.jobUid());
    }
    if (said.reason() == Reason.NODE_WRITE_REFUSED) {
      saidRefused.add(said.node());
    }
  }

  @Override
  public void ordered(@Nullable OrderObject before, OrderObject after) {
    Integer hold = after.spec().holdSeconds();
    boolean counts = before == null || hold == null;
    Instant end = hold == null ? after.spec().until() : now().plusSeconds(hold).plus(HEARD);
    if (counts && end != null) {
      until.merge(after.spec().jobUid(), end, (a, b) -> a.isAfter(b) ? a : b);
    }
  }

  /** Jobs that are suspended by us while no open recovery says why. */
  List<String> leftSuspended() {
    List<String> left = new ArrayList<>();
    for (JobObject job : world.jobs().all()) {
      // Where a person deletes it, and no other one can be stored, none says so (seed 95400299).
      boolean refused = answers.refusedForGood(Call.OPEN, job.key());
      if (job.suspend() && !job.suspendedBy().isEmpty() && open(job).isEmpty() && !refused) {
        left.add(job.key() + " by " + job.suspendedBy());
      }
    }
    return left;
  }

  /** Jobs of which something is frozen, or is to be, while no open recovery says why. */
  List<String> leftFrozen() {
    List<String> left = new ArrayList<>();
    for (JobObject job : world.jobs().all()) {
      if (open(job).isEmpty()) {
        Gang gang = world.gang(job.meta().uid());
        boolean stands = answers.refusedForGood(Call.WITHDRAW, job.key());
        List<String> frozen = new ArrayList<>();
        // What an order freezes that cannot be withdrawn is thawed as it runs out (seed 94890795).
        if (!stands) {
          frozen.addAll(gang.processes().thawable(true));
        }
        if (now().isAfter(until.getOrDefault(job.meta().uid(), Instant.MIN))) {
          frozen.addAll(gang.processes().thawable(false));
        }
        if (!frozen.isEmpty()) {
          left.add("%s of job %s".formatted(frozen, job.key()));
        }
        // One that can never be deleted runs out for the agents, and goes with its Recovery.
        orderOf(job)
            .filter(_ -> !stands)
            .ifPresent(order -> left.add("order " + order.meta().name()));
      }
    }
    return left;
  }

  /** Why the run has not come to rest; empty when it has. */
  String unrest() {
    return unrest(Instant.MAX);
  }

  /**
   * The same, but for recoveries that have just failed, or that began short of ten minutes per
   * attempt ago: a crash loop is answered as often as its budget allows, and so may be as the run
   * ends.
   */
  String unrestOfLong() {
    return unrest(now().minus(JUST));
  }

  private String unrest(Instant begun) {
    for (JobObject job : world.jobs().all()) {
      String why = unrest(job, begun);
      if (!why.isEmpty()) {
        return why;
      }
    }
    for (NodeObject node : world.nodes().all()) {
      if (isLeftFenced(node)) {
        return "node %s is fenced by %s without a fault"
            .formatted(node.meta().name(), node.fencedBy());
      }
    }
    return "";
  }

  /** Whether a node is fenced by us, and nothing is wrong with it any more. */
  boolean isLeftFenced(NodeObject node) {
    return !node.fencedBy().isEmpty()
        && node.unschedulable()
        && !fences.kept(node)
        && !isRefused(Call.RELEASE, node)
        && !evidence.faulty(node.meta().name());
  }

  /** Whether a recovery is held for a window or for the approval of a person. */
  boolean endsByItself() {
    for (RecoveryObject recovery : world.recoveries().all()) {
      RecoveryStatus status = recovery.status();
      if (status != null
          && isHeld(recovery)
          && jobOf(recovery).filter(consent::automatic).isPresent()
          && HoldReason.of(status).filter(ENDED_BY_TIME::contains).isPresent()) {
        return true;
      }
    }
    return false;
  }

  private static boolean isHeld(RecoveryObject recovery) {
    RecoveryStatus status = recovery.status();
    return status != null && status.phase() == RecoveryPhase.HELD;
  }

  private String unrest(JobObject job, Instant begun) {
    Gang gang = world.gang(job.meta().uid());
    boolean held = open(job).stream().anyMatch(Convergence::isHeld);
    for (RecoveryObject recovery : open(job)) {
      RecoveryStatus status = recovery.status();
      // What two leaders opened for one trouble waits for the end of the one that was first.
      if (!isHeld(recovery)
          && !(held && status == null)
          && !isUnwritable(job)
          && !attemptBegan(recovery).isAfter(begun)) {
        return "recovery %s is open: %s"
            .formatted(
                recovery.meta().name(),
                status == null || status.timeline().isEmpty()
                    ? "no status"
                    : status.timeline().getLast());
      }
    }
    return isLeft(job, begun)
        ? ""
        : "job %s stands at step %d".formatted(job.key(), gang.training().view().step());
  }

  /** Whether nothing is to be done about the job: it trains, or an object says why it does not. */
  boolean isLeft(JobObject job, Instant begun) {
    return !consent.automatic(job)
        || (job.suspend() && job.suspendedBy().isEmpty())
        || isStoppedByOthers(job)
        || world.gang(job.meta().uid()).training().moving()
        || !seenStepping(job)
        || job.status().finish() == Finish.SUCCEEDED
        || job.status().message().contains("backoff limit")
        || !open(job).isEmpty()
        || isUnwritable(job)
        || waitsForPlace(job)
        || failedAfter(job, begun)
        || (isClosed(job) && isGivenUp(job))
        || isTooLate(job)
        || saidWhyNot(job);
  }

  /** Whether Kueue will not start it again: its recovery has failed and says so (seed 12180). */
  private static boolean isClosed(JobObject job) {
    return !job.queue().isEmpty() && job.status().finish() == Finish.FAILED;
  }

  /**
   * Whether its last recovery gave it up, and said so, when it had failed for longer than a job is
   * revived after (seed 92303529).
   */
  private boolean isTooLate(JobObject job) {
    Instant at = job.status().finishedAt();
    Instant gaveUp = failed.get(job.meta().uid());
    return job.status().finish() == Finish.FAILED
        && at != null
        && gaveUp != null
        && world
            .policies()
            .find("default")
            .filter(p -> gaveUp.plus(APART).isAfter(at.plus(p.policy().revival())))
            .isPresent();
  }

  /** Whether a person has deactivated its Workload. */
  private boolean isStoppedByOthers(JobObject job) {
    return world
        .queueing()
        .workloads()
        .find(job.key().toString())
        .filter(workload -> !workload.active() && workload.stoppedBy().isEmpty())
        .isPresent();
  }

  /** When its attempt would have begun at the latest, had each before it taken its whole time. */
  private static Instant attemptBegan(RecoveryObject recovery) {
    RecoveryStatus status = recovery.status();
    int before = status == null ? 0 : Math.max(0, status.attempt() - 1);
    return recovery.meta().created().plus(JUST.multipliedBy(before));
  }

  /** A write on the node that can never be made: an Event has to say so. */
  private boolean isRefused(Call call, NodeObject node) {
    return answers.refusedForGood(call) && saidRefused.contains(node.meta().name());
  }

  /**
   * A status that can never be written cannot say why: an Event has to, where one can be written.
   */
  private boolean isUnwritable(JobObject job) {
    return (saidRefused.contains(job.meta().uid()) || isMute(job))
        && (answers.refusedForGood(Call.SAVE, job.key())
            || answers.refusedForGood(Call.OPEN, job.key()));
  }

  /** What was never seen to make a step cannot be said to stand still. */
  private boolean seenStepping(JobObject job) {
    for (RankObject rank : world.ranks().all()) {
      if (rank.view().job().equals(job.key()) && rank.view().lastStep() != null && counts(rank)) {
        return true;
      }
    }
    for (RecoveryObject recovery : world.recoveries().all()) {
      RecoveryStatus status = recovery.status();
      if (recovery.spec().jobUid().equals(job.meta().uid())
          && status != null
          && status.cause() != null
          && status.cause().lastStep() != null) {
        return true;
      }
    }
    return false;
  }

  /**
   * One that its user resumed, or never stopped: the scheduler says of a pod that it has none, or
   * an Event says that no pool has an address for it there (seed 7905).
   */
  private boolean waitsForPlace(JobObject job) {
    boolean rails = world.spiderpool().isInstalled();
    return job.template().attempt().isEmpty()
        && world.podsOf(job).stream()
            .anyMatch(
                pod ->
                    pod.node().isEmpty()
                        ? pod.status().failure() != null
                        : rails && pod.view().phase() == PodView.Phase.PENDING);
  }

  /** Its kubelets are at it again, and the next recovery begins when their time is over. */
  private boolean failedAfter(JobObject job, Instant then) {
    Instant at = failed.get(job.meta().uid());
    return at != null && at.isAfter(then);
  }

  /** Whether no Event of it can be written; what only an Event says is in the log alone then. */
  private boolean isMute(JobObject job) {
    return answers.refusedForGood(Call.RECORD_EVENT, job.key());
  }

  /** Whether its last recovery failed, or an Event says why there is no other one. */
  boolean isGivenUp(JobObject job) {
    return failed.containsKey(job.meta().uid()) || saidWhyNot(job);
  }

  /** Whether an Event says why there is no recovery, or none can be written. */
  boolean saidWhyNot(JobObject job) {
    ClusterEvent last = refused.get(job.key().toString());
    return isMute(job) || (last != null && last.jobUid().equals(job.meta().uid()));
  }
}
