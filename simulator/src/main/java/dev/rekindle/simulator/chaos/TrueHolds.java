package dev.rekindle.simulator.chaos;

import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.controller.kubernetes.convert.InspectorJob;
import dev.rekindle.controller.model.Inspection;
import dev.rekindle.controller.model.NodeView.Readiness;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.recovery.HoldReason;
import dev.rekindle.simulator.api.Change;
import dev.rekindle.simulator.process.Answers;
import dev.rekindle.simulator.process.Answers.Call;
import dev.rekindle.simulator.world.FaultObject;
import dev.rekindle.simulator.world.JobObject;
import dev.rekindle.simulator.world.NodeChoice;
import dev.rekindle.simulator.world.NodeObject;
import dev.rekindle.simulator.world.PodObject;
import dev.rekindle.simulator.world.RecoveryObject;
import dev.rekindle.simulator.world.Storage;
import dev.rekindle.simulator.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A held recovery really waits for what it says. In the calm this may be wrong for a minute at
 * most.
 */
final class TrueHolds extends Check {
  private static final Duration BOUND = Duration.ofSeconds(90);

  /** Clocks of two processes differ by less. */
  private static final Duration SKEW = Duration.ofSeconds(10);

  /** The scan that was under way, and the one whose beginning was seen. */
  private static final int SCANS = 3;

  /** What is said of a volume that no node reaches which takes pods. */
  private static final String ON_A_VOLUME = "has the only copy of the checkpoints";

  /** What else bars a script from going on by itself. */
  private static final String COURSE = "may be of the course given up";

  private final Answers answers;
  private final Breaker breaker;
  private final Duration scans;
  private final BooleanSupplier led;
  private final CrashLoops loops;
  private final Overdue overdue = new Overdue(this);

  /** When recoveries were last approved. */
  private final Map<String, Instant> approved = new HashMap<>();

  TrueHolds(
      World world,
      Invariants all,
      Answers answers,
      Breaker breaker,
      Duration scan,
      BooleanSupplier led,
      CrashLoops loops) {
    super(world, all, Invariant.TRUE_HOLDS);
    this.answers = answers;
    this.breaker = breaker;
    this.scans = scan.multipliedBy(SCANS);
    this.led = led;
    this.loops = loops;
    world.recoveries().watch(this::recoveryChanged);
  }

  private void recoveryChanged(Change<RecoveryObject> change) {
    RecoveryObject before = change.before();
    RecoveryObject after = change.after();
    boolean was = before != null && Boolean.TRUE.equals(before.spec().approved());
    if (after != null && !was && Boolean.TRUE.equals(after.spec().approved())) {
      approved.put(change.key(), now());
    }
  }

  private Instant approvedAt(RecoveryObject recovery) {
    return approved.getOrDefault(recovery.meta().key(), recovery.meta().created());
  }

  @Override
  void look() {
    if (!led.getAsBoolean()) {
      // No process can write that this has changed (seed 94026349).
      overdue.endAll();
      return;
    }
    for (RecoveryObject recovery : world.recoveries().all()) {
      String key = recovery.meta().key();
      String untrue = untrue(recovery);
      if (untrue.isEmpty()) {
        overdue.end(key);
      } else if (overdue.lasts(key, bound(recovery.status()))) {
        broken("recovery %s is held: %s".formatted(key, untrue));
      }
    }
  }

  @Override
  boolean isWaiting() {
    return !overdue.isEmpty();
  }

  private Duration bound(@Nullable RecoveryStatus status) {
    return isHeld(status, HoldReason.CHECKPOINT_UNKNOWN) ? BOUND.plus(scans) : BOUND;
  }

  private String untrue(RecoveryObject recovery) {
    RecoveryStatus status = recovery.status();
    JobObject job = jobOf(recovery).orElse(null);
    HoldReason reason = status == null ? null : HoldReason.of(status).orElse(null);
    if (status == null
        || reason == null
        || status.timeline().isEmpty()
        || job == null
        || refused(job, Call.SAVE)) {
      // What cannot be written is said in an event.
      return "";
    }
    RecoveryStatus.Cause cause = status.cause();
    String why = status.timeline().getLast().detail();
    boolean so =
        switch (reason) {
          case NO_CAPACITY -> fit(job) < job.setup().ranks() || !fitsAtVolume(job);
          case BREAKER_OPEN -> cause == null || why.contains("quota") || isOpen(cause);
          case NOT_ADMITTED -> waitsForQuota(job);
          case DRAIN_BLOCKED -> !world.podsOf(job).isEmpty();
          case CHECKPOINT_UNKNOWN ->
              why.contains(ON_A_VOLUME)
                  ? away(job) && (why.contains(COURSE) || !job.setup().beginsUnreachable())
                  : unjudged(recovery, job);
          case RDMA_NOT_RESTORED -> TrueNetwork.maySayNo(world, job);
          // What an agent says of a checkpoint on its own node may be a lie (seed 94823560).
          case CRASH_LOOP ->
              world.agentLies().concern(job.key()) || choseByItself(job) || loops.maySayLoop(job);
          case PAUSED -> !isStopped(recovery, job) && says(Policy::paused);
          case OUTSIDE_WINDOW ->
              !isStopped(recovery, job)
                  && says(p -> !p.maintenance().isOpen(now()) && mayWait(p, job));
          case APPROVAL_EXPIRED ->
              // When it was given is written down by the clock of then (seed 4299).
              clocksWereWrong()
                  || says(p -> approvedAt(recovery).plus(p.approval()).isBefore(now().plus(SKEW)));
          case AWAITING_APPROVAL ->
              !isStopped(recovery, job) && !Boolean.TRUE.equals(recovery.spec().approved());
          case UNAVAILABLE -> !answers.forGood(job.key()).isEmpty();
          case REFUSED ->
              !why.toLowerCase(Locale.ROOT).contains("refuse")
                  // By what this process has fenced itself, also where the Node is gone by now.
                  || why.contains("would pass the quota of namespace")
                  || !answers.forGood(job.key()).isEmpty();
        };
    return so ? "" : why;
  }

  /** Whether its script has failed from a checkpoint that no recovery has pinned. */
  private boolean choseByItself(JobObject job) {
    for (RecoveryObject recovery : world.recoveries().all()) {
      RecoveryStatus status = recovery.status();
      if (status != null
          && recovery.spec().jobUid().equals(job.meta().uid())
          && status.resumes().stream().anyMatch(a -> a.step() == null && a.result().failed())) {
        return true;
      }
    }
    return false;
  }

  /** A job that Rekindle has stopped is resumed at any time, and without an approval. */
  private static boolean isStopped(RecoveryObject recovery, JobObject job) {
    return job.suspend() && job.suspendedBy().equals(recovery.meta().name());
  }

  /** A gang that stands waits for no window, unless the policy says so. */
  private boolean mayWait(Policy policy, JobObject job) {
    return policy.maintenance().stoppedWait()
        || !longAgo(world.gang(job.meta().uid()).training().lastStep());
  }

  private boolean waitsForQuota(JobObject job) {
    return world
        .queueing()
        .workloads()
        .find(job.key().toString())
        .filter(workload -> workload.admitted() && !job.suspend())
        .isEmpty();
  }

  private boolean says(Predicate<Policy> what) {
    return world.policies().find("default").filter(p -> what.test(p.policy())).isPresent();
  }

  /** Whether no node that has the volume with its checkpoints takes pods. */
  private boolean away(JobObject job) {
    List<String> homes = world.gang(job.meta().uid()).training().homes();
    return !homes.isEmpty()
        && homes.stream()
            .noneMatch(n -> takesPods(n) && world.nodes().find(n).filter(this::faulty).isEmpty());
  }

  private boolean takesPods(String node) {
    return world
        .nodes()
        .find(node)
        .filter(n -> n.readiness() == Readiness.READY && !n.unschedulable() && n.owner() == null)
        .isPresent();
  }

  /**
   * Whether the nodes that keep a copy each cannot take the gang back, or have none of one save.
   */
  private boolean unsure(JobObject job) {
    Storage storage = world.gang(job.meta().uid()).training().storage();
    return storage.isOnEachNode()
        && (storage.newestValid(now()) == 0
            || storage.disks().size() < job.setup().ranks()
            || storage.disks().stream()
                .anyMatch(
                    disk ->
                        world
                            .nodes()
                            .find(disk)
                            .filter(n -> takesPods(disk) && !faulty(n))
                            .filter(n -> free(n, job) >= job.setup().gpusPerRank())
                            .isEmpty()));
  }

  /** Whether its inspector is refused for good, or cannot be read, or has yet to report. */
  private boolean unjudged(RecoveryObject recovery, JobObject job) {
    String inspector =
        recovery.meta().namespace() + "/" + InspectorJob.name(recovery.meta().name());
    return refused(job, Call.START_INSPECTOR)
        || refused(job, Call.INSPECT)
        || away(job)
        || unsure(job)
        || world.inspectorPods().inspection(inspector) instanceof Inspection.Pending;
  }

  private boolean refused(JobObject job, Call call) {
    return answers.refusedForGood(call, job.key());
  }

  /** Ranks of it that the node would take. */
  private int fit(NodeObject node, JobObject job) {
    if (node.readiness() != Readiness.READY
        || node.unschedulable()
        || node.owner() != null
        || faulty(node)
        || !NodeChoice.lets(job.setup().needs(), node.setup())
        || !networks(node, job)) {
      return 0;
    }
    int places = (int) Math.max(0, free(node, job)) / Math.max(1, job.setup().gpusPerRank());
    return job.setup().needs().onePerNode() ? Math.min(1, places) : places;
  }

  /** Whether a node that reaches the volume of rank 0, if it has one, would take a rank. */
  private boolean fitsAtVolume(JobObject job) {
    List<String> homes = world.gang(job.meta().uid()).training().homes();
    return homes.isEmpty()
        || homes.stream()
            .flatMap(name -> world.nodes().find(name).stream())
            .anyMatch(node -> fit(node, job) > 0);
  }

  /** Ranks of it that nodes would take. */
  private long fit(JobObject job) {
    Map<String, Integer> fit = new HashMap<>();
    for (NodeObject node : world.nodes().all()) {
      fit.merge(node.setup().leaf(), fit(node, job), Integer::sum);
    }
    return world.spiderpool().isInstalled()
        ? world.spiderpool().places(fit, uids(job))
        : fit.values().stream().mapToInt(Integer::intValue).sum();
  }

  private boolean faulty(NodeObject node) {
    for (FaultObject fault : world.faults().all()) {
      if (fault.view().node().equals(node.meta().name())
          && fault.view().active()
          && fault.view().isOf(node.view())) {
        return true;
      }
    }
    return false;
  }

  private long free(NodeObject node, JobObject job) {
    long used =
        world.pods().list("spec.nodeName", node.meta().name()).stream()
            .filter(PodObject::live)
            .filter(pod -> !pod.meta().owner().equals(job.meta().uid()))
            .mapToLong(PodObject::gpus)
            .sum();
    return node.offered() - used;
  }

  /** Whether a pod of it finds its devices and addresses there, were the others gone. */
  private boolean networks(NodeObject node, JobObject job) {
    return !world.spiderpool().isInstalled()
        || world.spiderpool().takes(node.meta().name(), node.setup().leaf(), uids(job));
  }

  private Set<String> uids(JobObject job) {
    return world.podsOf(job).stream().map(p -> p.meta().uid()).collect(Collectors.toSet());
  }

  /**
   * Whether a node that it blames has no place in the breaker, or several may not have together.
   */
  private boolean isOpen(RecoveryStatus.Cause cause) {
    int unfenced = 0;
    for (String name : cause.faultyNodes()) {
      NodeObject node = world.nodes().find(name).orElse(null);
      if (node != null && node.fencedBy().isEmpty()) {
        unfenced++;
        if (unfenced > 1 || !breaker.hasPlace(node)) {
          return true;
        }
      }
    }
    return false;
  }
}
