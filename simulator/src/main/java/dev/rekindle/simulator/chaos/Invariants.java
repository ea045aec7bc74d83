package dev.rekindle.simulator.chaos;

import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RestartInstruction;
import dev.rekindle.api.Scorecard;
import dev.rekindle.api.Scorecard.Tally;
import dev.rekindle.controller.cluster.FaultView;
import dev.rekindle.controller.cluster.FaultView.Incident;
import dev.rekindle.controller.cluster.JobKey;
import dev.rekindle.controller.cluster.JobView.Finish;
import dev.rekindle.controller.cluster.JobView.Mode;
import dev.rekindle.controller.cluster.JobView.OptIn;
import dev.rekindle.controller.cluster.Policy;
import dev.rekindle.controller.journal.Announcement;
import dev.rekindle.controller.journal.Reason;
import dev.rekindle.controller.shadow.Scores;
import dev.rekindle.controller.verdict.Troubles;
import dev.rekindle.simulator.api.Change;
import dev.rekindle.simulator.engine.Loop;
import dev.rekindle.simulator.process.Answers;
import dev.rekindle.simulator.process.Answers.Call;
import dev.rekindle.simulator.process.Deeds;
import dev.rekindle.simulator.world.FaultObject;
import dev.rekindle.simulator.world.Gang;
import dev.rekindle.simulator.world.JobObject;
import dev.rekindle.simulator.world.NodeObject;
import dev.rekindle.simulator.world.OrderObject;
import dev.rekindle.simulator.world.PodObject;
import dev.rekindle.simulator.world.PolicyObject;
import dev.rekindle.simulator.world.RankObject;
import dev.rekindle.simulator.world.RecoveryObject;
import dev.rekindle.simulator.world.Storage;
import dev.rekindle.simulator.world.Witness;
import dev.rekindle.simulator.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Watches a run for the invariants. It sees the truth, not what the controller sees: real
 * processes, real checkpoints, every write at the moment at which it takes effect.
 */
public final class Invariants implements Witness, Deeds {
  /**
   * A write that was decided before something became known may take effect so much later: the
   * longest way of a late call, and the time in which a watch was broken.
   */
  private static final Duration UNDER_WAY = Duration.ofSeconds(60);

  /** What was opened so short before the end of a run may still be at work. */
  private static final Duration JUST = Duration.ofMinutes(10);

  /** Events that say why a job which does not train is left as it is. */
  private static final Set<Reason> WHY_NOT =
      Set.of(Reason.BUDGET_EXHAUSTED, Reason.POD_CANNOT_START, Reason.FAILED_TOO_LONG_AGO);

  private final Supplier<Instant> clock;
  private final Policy policy;
  private final Answers answers;
  private final World world;

  private final Map<String, Instant> optedOut = new HashMap<>();

  /** Since when jobs want a person to be asked first. */
  private final Map<String, Instant> asksSince = new HashMap<>();

  /** Recoveries that have acted when nobody had to approve them. */
  private final Set<String> underWay = new HashSet<>();

  private final Map<String, Instant> suspendedByUser = new HashMap<>();
  private final Map<String, Instant> faultGone = new HashMap<>();
  private final Map<String, Instant> torn = new HashMap<>();

  /** When a pod of a job that opted in was last seen to change on a node. */
  private final Map<String, Instant> carried = new HashMap<>();

  /** When a fault was last written. */
  private final Map<String, Instant> toldAt = new HashMap<>();

  /** A program that met a code, as agents told. */
  private record Met(String program, String code) {}

  /** The nodes on which it did, and when that was first told. */
  private final Map<Met, Map<String, Instant>> told = new HashMap<>();

  /** The same, and what was deleted since: it excuses a device as long as anybody remembers. */
  private final Map<Met, Set<String>> everTold = new HashMap<>();

  private final Map<String, List<Instant>> resumes = new HashMap<>();
  private final Map<String, Instant> lastEnd = new HashMap<>();
  private final Map<String, Instant> ended = new HashMap<>();
  private final Map<String, Announcement> refused = new HashMap<>();
  private final Set<String> ours = new HashSet<>();

  /** UIDs of jobs of which an Event says that the API server refuses something. */
  private final Set<String> saidRefused = new HashSet<>();

  /** Since when nodes are lemons. */
  private final Map<String, Instant> lemons = new HashMap<>();

  /** By recovery, the step that its job is to go back to before. */
  private final Map<String, Long> rollBacks = new HashMap<>();

  /** Attempts that were counted, by UID of the job: one that falls back to a rebuild is one. */
  private final Set<String> counted = new HashSet<>();

  /** Generations that were started in place. */
  private final Set<String> begun = new HashSet<>();

  private boolean wrongClocks;

  /** Orders that the controller takes back, and by UID of the job when another hand did. */
  private final Set<String> withdrawn = new HashSet<>();

  private final Map<String, Instant> takenAway = new HashMap<>();

  private final Breaker breaker;

  private @Nullable Violation violation;
  private int recoveriesEnded;

  /** Watches the world, which obeys the policy and answers so. */
  public Invariants(World world, Policy policy, Answers answers, Supplier<Instant> clock) {
    this.world = world;
    this.policy = policy;
    this.answers = answers;
    this.clock = clock;
    this.breaker = new Breaker(world, policy, clock);
    world.witness(this);
    world.jobs().watch(this::jobChanged);
    world.faults().watch(this::faultChanged);
    world.nodes().watch(this::nodeChanged);
    world.pods().watch(this::podChanged);
    world.recoveries().watch(this::recoveryChanged);
    world.policies().watch(this::policyChanged);
    world.orders().watch(this::orderChanged);
  }

  /** The first thing that went wrong. */
  public Optional<Violation> violation() {
    return Optional.ofNullable(violation);
  }

  /** Recoveries that have come to an end. */
  public int recoveriesEnded() {
    return recoveriesEnded;
  }

  /** Says that an invariant does not hold. */
  void broken(Invariant invariant, String detail) {
    if (violation == null) {
      violation = new Violation(invariant, now(), detail);
    }
  }

  Instant now() {
    return clock.get();
  }

  private boolean longAgo(@Nullable Instant then) {
    return then != null && then.plus(UNDER_WAY).isBefore(now());
  }

  // --- what people and machines do ----------------------------------------------------------

  private void jobChanged(Change<JobObject> change) {
    JobObject job = change.object();
    String uid = job.meta().uid();
    if (change.after() == null && automatic(job)) {
      // Until everybody has heard that it is gone, its pods are a job's that opted in.
      world.podsOf(job).stream()
          .filter(pod -> !pod.node().isEmpty())
          .forEach(pod -> carried.put(pod.node(), now()));
    }
    consents(job, change.before() == null ? Instant.MIN : now());
    if (job.optIn() instanceof OptIn.Yes(Mode mode) && mode == Mode.APPROVE) {
      asksSince.putIfAbsent(uid, change.before() == null ? Instant.MIN : now());
    } else {
      asksSince.remove(uid);
    }
    if (job.suspend() && job.suspendedBy().isEmpty()) {
      suspendedByUser.putIfAbsent(uid, now());
    } else {
      suspendedByUser.remove(uid);
    }
  }

  private void consents(JobObject job, Instant now) {
    if (automatic(job)) {
      optedOut.remove(job.meta().uid());
    } else {
      optedOut.putIfAbsent(job.meta().uid(), now);
    }
  }

  /**
   * One that names a policy that does not exist, or that somebody else answers for, is as one that
   * did not opt in.
   */
  private boolean automatic(JobObject job) {
    return job.notOurs().isEmpty()
        && policy.mode() != Mode.OBSERVE
        && job.optIn() instanceof OptIn.Yes(Mode mode)
        && mode != Mode.OBSERVE
        && world.policies().find(job.policy()).isPresent();
  }

  private void faultChanged(Change<FaultObject> change) {
    FaultView fault = change.object().view();
    if (change.after() == null) {
      faultGone.put(fault.node(), now());
      toldAt.remove(change.key());
      told.forEach(
          (met, nodes) -> {
            if (met.code().equals(fault.code())) {
              nodes.remove(fault.node());
            }
          });
      return;
    }
    if (!fault.active()) {
      faultGone.put(fault.node(), now());
    }
    toldAt.put(change.key(), now());
    for (Met met : met(fault)) {
      told.computeIfAbsent(met, _ -> new HashMap<>()).putIfAbsent(fault.node(), now());
      everTold.computeIfAbsent(met, _ -> new HashSet<>()).add(fault.node());
    }
  }

  private void nodeChanged(Change<NodeObject> change) {
    NodeObject before = change.before();
    NodeObject after = change.after();
    if (before != null && after != null && !before.bootId().equals(after.bootId())) {
      faultGone.put(after.meta().name(), now());
    }
    if (after != null && lemon(after)) {
      lemons.putIfAbsent(after.meta().name(), now());
    } else {
      lemons.remove(change.key());
    }
  }

  private void recoveryChanged(Change<RecoveryObject> change) {
    if (change.after() == null) {
      // Somebody deleted the record: what it counted is forgotten with it.
      jobOf(change.object())
          .ifPresent(job -> world.gang(job.meta().uid()).storage().forgetGoingBack());
      resumes.remove(change.object().spec().jobUid());
      lastEnd.remove(change.object().spec().jobUid());
      ended.remove(change.key());
    }
  }

  private void orderChanged(Change<OrderObject> change) {
    if (change.after() == null && !withdrawn.remove(change.object().meta().uid())) {
      takenAway.put(change.object().spec().jobUid(), now());
    }
  }

  @Override
  public void withdrew(OrderObject before) {
    withdrawn.add(before.meta().uid());
  }

  /** A checkpoint has just lost its wholeness: who has judged it before may be wrong about it. */
  void torn(JobKey job) {
    torn.put(job.toString(), now());
  }

  private boolean lemon(NodeObject node) {
    return Troubles.parse(node.troubles()).lemon(now());
  }

  private void policyChanged(Change<PolicyObject> change) {
    PolicyObject before = change.before();
    PolicyObject after = change.after();
    if (before == null || after == null) {
      world.jobs().all().forEach(job -> consents(job, now()));
    } else {
      scored(Scores.FENCE, before.card().fences(), after.card().fences(), after.card());
      scored(Scores.RESTART, before.card().restarts(), after.card().restarts(), after.card());
    }
  }

  private void scored(String what, Tally before, Tally after, Scorecard card) {
    long open = card.recent().stream().filter(e -> e.open() && e.what().equals(what)).count();
    if (after.would() < before.would()
        || after.right() < before.right()
        || after.wrong() < before.wrong()
        || after.unknown() < before.unknown()
        || after.would() != after.right() + after.wrong() + after.unknown() + open) {
      broken(
          Invariant.SCORECARD, "%s: %s, then %s with %d open".formatted(what, before, after, open));
    }
  }

  // --- 1 and 8: what really runs ------------------------------------------------------------

  @Override
  public void runs(JobKey job, Map<String, Integer> running) {
    if (running.size() > 1) {
      broken(Invariant.ONE_GENERATION, "job %s runs as attempts %s".formatted(job, running));
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
    if (tornLately(key)) {
      wentBack(order.recovery(), from, world.gang(job.meta().uid()).storage());
      return;
    }
    long newest = world.gang(job.meta().uid()).storage().newestValid(now());
    Long pin = pinned(recovery.status());
    if (from < newest && from == wanted(order.recovery(), world.gang(job.meta().uid()).storage())) {
      world.gang(job.meta().uid()).storage().goBack(from);
    } else if (from != newest) {
      broken(
          Invariant.VALID_CHECKPOINT,
          "job %s begins in place at step %d; the newest valid checkpoint is of step %d"
              .formatted(key, from, newest));
    } else if (pin != null && pin != newest) {
      broken(
          Invariant.BARRIER,
          "job %s has a checkpoint of step %d; step %d was pinned for its restart in place"
              .formatted(key, newest, pin));
    }
  }

  private static @Nullable Long pinned(@Nullable RecoveryStatus status) {
    return Optional.ofNullable(status)
        .map(RecoveryStatus::plan)
        .map(RecoveryStatus.Plan::checkpoint)
        .filter(pin -> pin.verdict().equals("Valid"))
        .map(RecoveryStatus.PinnedCheckpoint::step)
        .orElse(null);
  }

  @Override
  public void findsOldStore(JobKey job, String pod, boolean survivor) {
    if (survivor) {
      broken(
          Invariant.BARRIER,
          "pod %s of job %s was restarted while the old leader still serves".formatted(pod, job));
    }
  }

  @Override
  public void freezes(OrderObject order, PodObject pod) {
    if (!order.spec().jobUid().equals(pod.meta().owner())) {
      broken(
          Invariant.ONLY_OPTED_IN,
          "order %s freezes pod %s of another job"
              .formatted(order.meta().name(), pod.meta().name()));
    }
  }

  // --- what the controller does -------------------------------------------------------------

  private static boolean inPlace(@Nullable RecoveryStatus status) {
    return status != null && status.plan() != null && status.plan().restart().equals("InPlace");
  }

  private Optional<OrderObject> orderOf(JobObject job) {
    OrderObject newest = null;
    for (OrderObject order : world.orders().all()) {
      if (order.spec().jobUid().equals(job.meta().uid())) {
        newest = order;
      }
    }
    return Optional.ofNullable(newest);
  }

  @Override
  public void ordered(@Nullable OrderObject before, OrderObject after) {
    JobObject job = world.jobs().find(after.job().toString()).orElse(null);
    if (job == null || !job.meta().uid().equals(after.spec().jobUid())) {
      return;
    }
    String what = "order %s".formatted(after.meta().name());
    if (before == null) {
      if (longAgo(ended.get(after.recovery()))) {
        broken(Invariant.NO_REPLAY, what + " is given for a recovery that is over");
      }
      touches(job, what);
      stops(job, after.spec().recovery());
      return;
    }
    count(job, after.meta().name());
    Gang gang = world.gang(job.meta().uid());
    List<String> unfrozen = gang.unfrozen(after.generation());
    if (!unfrozen.isEmpty()) {
      broken(
          Invariant.BARRIER,
          "%s restarts job %s while %s are not frozen".formatted(what, job.key(), unfrozen));
    }
    if (after.spec().instruction() == RestartInstruction.RESTART_ALL
        && gang.oldLeader(after.generation())) {
      broken(
          Invariant.BARRIER,
          "%s restarts all of job %s while its old leader is there".formatted(what, job.key()));
    }
  }

  /** Something counts on it that the old generation does nothing any more. */
  private void needsBarrier(JobObject job, String what) {
    Instant gone = takenAway.get(job.meta().uid());
    if (gone != null && !longAgo(gone)) {
      // With its namespace, say: what was decided before may be under way.
      return;
    }
    String generation = orderOf(job).map(OrderObject::generation).orElse("");
    List<String> unfrozen = world.gang(job.meta().uid()).unfrozen(generation);
    if (!unfrozen.isEmpty()) {
      broken(
          Invariant.BARRIER,
          "%s of job %s while %s are not frozen".formatted(what, job.key(), unfrozen));
    }
  }

  private Optional<JobObject> jobOf(RecoveryObject recovery) {
    return world
        .jobs()
        .find(recovery.view().job().toString())
        .filter(job -> job.meta().uid().equals(recovery.spec().jobUid()));
  }

  private void savedInPlace(RecoveryObject before, RecoveryStatus after) {
    JobObject job = jobOf(before).orElse(null);
    if (job == null || !inPlace(after)) {
      return;
    }
    boolean pins =
        Objects.requireNonNull(after.plan()).checkpoint() != null
            && (before.status() == null
                || before.status().plan() == null
                || before.status().plan().checkpoint() == null);
    if (pins) {
      needsBarrier(job, "the checkpoint is pinned");
    }
    if (after.phase() == RecoveryPhase.RECOVERED) {
      String generation = orderOf(job).map(OrderObject::generation).orElse("");
      List<String> others = world.gang(job.meta().uid()).others(generation);
      if (!others.isEmpty()) {
        broken(
            Invariant.ONE_GENERATION,
            "recovery %s is over while %s of the old generation are there"
                .formatted(name(before), others));
      }
    }
  }

  @Override
  public void opened(RecoveryObject recovery) {
    String uid = recovery.spec().jobUid();
    JobObject job = world.jobs().find(recovery.view().job().toString()).orElse(null);
    if (job == null || !job.meta().uid().equals(uid)) {
      return;
    }
    touches(job, "recovery " + recovery.meta().name() + " opened");
    refused.remove(job.key().toString());
  }

  /** What has been answered already is no reason to stop a job that trains. */
  private void stops(JobObject job, String recovery) {
    Instant since = lastEnd.get(job.meta().uid());
    if (since != null && !troubledSince(job, since)) {
      broken(
          Invariant.NO_REPLAY,
          "recovery %s suspends job %s, which has trained without a break since before the last one ended at %s"
              .formatted(recovery, job.key(), since));
    }
  }

  /** Whether anything has gone wrong with the job since then that a recovery could be for. */
  private boolean troubledSince(JobObject job, Instant since) {
    Gang gang = world.gang(job.meta().uid());
    Optional<Instant> moving = gang.movingSince();
    if (moving.isEmpty()
        || moving.get().isAfter(since)
        || job.suspend()
        || gang.asks()
        || job.status().finish() == Finish.FAILED) {
      return true;
    }
    for (PodObject pod : world.podsOf(job)) {
      if (!pod.live() || faulty(pod.node()) || mayLookFlaky(pod.node())) {
        return true;
      }
    }
    return false;
  }

  /** Whether the node has, or had a moment ago, a fault that is reason to fence it. */
  private boolean faulty(String node) {
    Instant gone = faultGone.get(node);
    if (gone != null && !longAgo(gone)) {
      return true;
    }
    for (FaultObject fault : world.faults().all()) {
      if (fault.view().node().equals(node) && stands(fault)) {
        return true;
      }
    }
    return false;
  }

  @Override
  public void saved(RecoveryObject before, @Nullable RecoveryStatus after) {
    RecoveryStatus was = before.status();
    if (was != null && was.phase() != null && was.phase().isTerminal()) {
      if (!was.equals(after) && !toldAgain(was, after)) {
        broken(Invariant.NO_REPLAY, "recovery %s is over and was written".formatted(name(before)));
      }
      return;
    }
    if (after != null) {
      savedInPlace(before, after);
      if (after.cause() != null && after.cause().beforeStep() != null) {
        rollBacks.put(name(before), after.cause().beforeStep());
      }
    }
    RecoveryPhase phase = after == null ? null : after.phase();
    if (phase != null && phase.isTerminal()) {
      recoveriesEnded++;
      ended.put(name(before), now());
      if (phase == RecoveryPhase.RECOVERED) {
        lastEnd.put(before.spec().jobUid(), now());
      } else {
        // Nobody has seen the job train again; reports of it may be on their way.
        lastEnd.remove(before.spec().jobUid());
      }
    }
  }

  /** A gang that comes back by itself once more is told in the same object. */
  private static boolean toldAgain(RecoveryStatus was, @Nullable RecoveryStatus after) {
    return after != null
        && was.comeBacks() != null
        && after.comeBacks() != null
        && after.phase() == RecoveryPhase.RECOVERED
        && after.comeBacks().count() == was.comeBacks().count() + 1;
  }

  private static String name(RecoveryObject recovery) {
    return recovery.meta().key();
  }

  @Override
  public void cordoned(NodeObject before, String by) {
    String name = before.meta().name();
    ours.add(name);
    breaker
        .passed(before)
        .ifPresent(
            how -> broken(Invariant.BREAKER, "%s fences node %s, %s".formatted(by, name, how)));
    modes(before, by);
    if (!faulty(name) && !mayLookFlaky(name)) {
      broken(
          Invariant.HARDWARE_WITNESS,
          "%s fences node %s, which has no fault of its hardware".formatted(by, name));
    }
    if (by.startsWith("fault/")
        && policy.fenceScope() == Policy.FenceScope.JOB_NODES
        && !carries(name)
        && (!carried.containsKey(name) || longAgo(carried.get(name)))) {
      broken(
          Invariant.ONLY_OPTED_IN,
          "%s fences node %s, which carries no job that opted in".formatted(by, name));
    }
  }

  /** No job may more than the policy lets it. */
  private void modes(NodeObject before, String by) {
    String name = before.meta().name();
    if (policy.mode() == Mode.OBSERVE) {
      broken(Invariant.MODES, "%s fences node %s under a policy that observes".formatted(by, name));
    } else if (!by.startsWith("fault/")) {
      world.recoveries().find(by).ifPresent(recovery -> approved(recovery, "fences node " + name));
    } else if (policy.mode() == Mode.APPROVE && !approved(before)) {
      broken(Invariant.MODES, "%s fences node %s unapproved".formatted(by, name));
    }
  }

  /** Whether a person approves of a fence for a fault that the node has, or had a moment ago. */
  private boolean approved(NodeObject node) {
    Instant gone = faultGone.get(node.meta().name());
    return (!node.approved().isEmpty() && gone != null && !longAgo(gone))
        || world
            .faults()
            .find(node.approved())
            .filter(fault -> fault.view().node().equals(node.meta().name()))
            .isPresent();
  }

  private void approved(RecoveryObject recovery, String what) {
    boolean asks =
        policy.mode() == Mode.APPROVE || longAgo(asksSince.get(recovery.spec().jobUid()));
    // Who asks for approval when his job is already stopped does not want it left so.
    if (!asks) {
      underWay.add(recovery.meta().uid());
    } else if (!Boolean.TRUE.equals(recovery.spec().approved())
        && !underWay.contains(recovery.meta().uid())) {
      broken(Invariant.MODES, "recovery %s %s unapproved".formatted(name(recovery), what));
    }
  }

  /** Whether the breaker has a place for that node. */
  boolean hasPlace(NodeObject node) {
    return breaker.hasPlace(node);
  }

  /** Whether pods of a job that opted in are on the node. */
  private boolean carries(String node) {
    return world.pods().list("spec.nodeName", node).stream().anyMatch(this::wantsUs);
  }

  private boolean wantsUs(PodObject pod) {
    return world
        .jobs()
        .find(pod.job().toString())
        .filter(job -> automatic(job) || !longAgo(optedOut.get(job.meta().uid())))
        .isPresent();
  }

  private void podChanged(Change<PodObject> change) {
    PodObject pod = change.object();
    if (!pod.node().isEmpty() && wantsUs(pod)) {
      carried.put(pod.node(), now());
    }
  }

  /**
   * Whether two jobs seem to have been hurt by the node: one of them was not known to fail
   * elsewhere as well, for long enough that everybody has heard.
   */
  private boolean mayLookFlaky(String node) {
    for (FaultObject fault : world.faults().all()) {
      if (fault.view().node().equals(node)
          && fault.view().active()
          && fault.view().fence() == FenceGuidance.THRESHOLD) {
        long programs =
            met(fault.view()).stream().filter(met -> !failsElsewhere(met, node)).count();
        if (programs > 1) {
          return true;
        }
      }
    }
    return false;
  }

  /**
   * Whom it hit, however often its job was made anew; nobody where that is not known. Another code
   * of the same program is another matter: it says nothing of this one.
   */
  private static Set<Met> met(FaultView fault) {
    Set<Met> met = new HashSet<>();
    for (Incident incident : fault.incidents()) {
      if (!incident.owner().isEmpty()) {
        met.add(new Met(incident.namespace() + "/" + incident.owner(), fault.code()));
      }
    }
    return met;
  }

  private boolean failsElsewhere(Met met, String node) {
    for (Map.Entry<String, Instant> told : told.getOrDefault(met, Map.of()).entrySet()) {
      if (!told.getKey().equals(node) && (longAgo(told.getValue()) || early(told.getValue()))) {
        return true;
      }
    }
    return false;
  }

  /** Before the controller began: its first list shows it. */
  private static boolean early(Instant then) {
    return then.isBefore(Loop.T0.plusMillis(1));
  }

  @Override
  public void released(NodeObject before) {
    String node = before.meta().name();
    if (before.fencedBy().isEmpty() || !ours.remove(node)) {
      broken(Invariant.ONLY_OUR_FENCES, "node %s was released".formatted(node));
    }
    if (policy.fenceLemons() && lemon(before) && longAgo(lemons.get(node))) {
      broken(Invariant.LEMONS, "node %s is released, and is a lemon".formatted(node));
    }
    for (FaultObject fault : world.faults().all()) {
      if (fault.view().node().equals(node)
          && stands(fault)
          && longAgo(fault.view().lastSeen())
          && longAgo(toldAt.get(fault.meta().key()))) {
        broken(
            Invariant.PROVEN_GONE,
            "node %s is released while %s stands".formatted(node, fault.view().code()));
      }
    }
  }

  /** Whether a fault of the hardware stands, and nothing has proven it gone. */
  boolean stands(FaultObject fault) {
    FaultView f = fault.view();
    boolean hardware =
        f.fence() == FenceGuidance.ALWAYS
            || (f.fence() == FenceGuidance.THRESHOLD && hurtTwo(f) && flaky(f.node()));
    boolean rebooted =
        !f.bootId().isEmpty()
            && !f.bootId().equals(bootOf(f.node()))
            // An agent speaks of a new boot before the kubelet does.
            && !f.bootId().equals(world.machine(f.node()).bootId())
            && !f.action().equals("drain_and_rma")
            && !f.action().isEmpty()
            && f.incidents().stream().map(Incident::bootId).distinct().count() < 3;
    return f.active() && hardware && !rebooted && isOfPresentNode(f);
  }

  /** A fault of an earlier Node of the name says nothing of the one that has it now. */
  private boolean isOfPresentNode(FaultView fault) {
    return world.nodes().find(fault.node()).filter(n -> !fault.isOf(n.view())).isEmpty();
  }

  /** As its kubelet has told: until then nobody can know that it was started anew. */
  private String bootOf(String node) {
    return world.nodes().find(node).map(NodeObject::bootId).orElse("");
  }

  /** A job that has met the same on another node as well is no witness: it may be its program. */
  private boolean hurtTwo(FaultView f) {
    Set<String> here = Set.of(f.node());
    return met(f).stream()
            .filter(met -> here.containsAll(everTold.getOrDefault(met, Set.of())))
            .count()
        > 1;
  }

  private boolean flaky(String node) {
    return world.machine(node).flaky();
  }

  @Override
  public void wrote(JobObject before, JobObject after, String verb, String recovery) {
    String key = before.key().namespace() + "/" + recovery;
    RecoveryObject by = world.recoveries().find(key).orElse(null);
    if (longAgo(ended.get(key))) {
      broken(
          Invariant.NO_REPLAY,
          "%s of job %s by recovery %s, which is over".formatted(verb, before.key(), recovery));
    }
    if (!verb.equals("resume")) {
      touches(before, verb);
      if (verb.equals("suspend") && !before.suspend()) {
        stops(before, recovery);
        if (by != null) {
          approved(by, "suspends its job");
        }
      }
      return;
    }
    boolean unrecorded = by == null || reason(by).equals("Orphaned");
    if (!unrecorded) {
      count(before, after.template().attempt());
    }
    checkpoint(before, after, by, key);
  }

  private static String reason(RecoveryObject recovery) {
    RecoveryStatus status = recovery.status();
    return status == null || status.cause() == null ? "" : status.cause().reason();
  }

  @Override
  public void clocksAreWrong(boolean wrong) {
    wrongClocks = wrong;
  }

  private void count(JobObject job, String attempt) {
    // By a clock that is wrong it is written down for a time that may be out of the window.
    if (!counted.add(job.meta().uid() + attempt) || wrongClocks) {
      return;
    }
    List<Instant> times = resumes.computeIfAbsent(job.meta().uid(), _ -> new ArrayList<>());
    times.add(now());
    Instant since = now().minus(policy.budgetWindow());
    times.removeIf(t -> t.isBefore(since));
    if (times.size() > policy.maxRestarts()) {
      broken(
          Invariant.BUDGET,
          "job %s is restarted for the %dth time within %s; %d are allowed"
              .formatted(job.key(), times.size(), policy.budgetWindow(), policy.maxRestarts()));
    }
  }

  private void checkpoint(
      JobObject before, JobObject after, @Nullable RecoveryObject by, String recovery) {
    Storage storage = world.gang(before.meta().uid()).storage();
    long newest = storage.newestValid(now());
    long told = after.template().resumeStep();
    if (tornLately(before.key())) {
      wentBack(recovery, told, storage);
      return;
    }
    if (told >= 0 && !storage.valid(told, now())) {
      broken(
          Invariant.VALID_CHECKPOINT,
          "job %s is told to resume from step %d, which is torn".formatted(before.key(), told));
    } else if (told >= 0 && told < newest && told == wanted(recovery, storage)) {
      storage.goBack(told);
    } else if (told >= 0 && told != newest) {
      broken(
          Invariant.VALID_CHECKPOINT,
          "job %s is told to resume from step %d; the newest valid one is of step %d"
              .formatted(before.key(), told, newest));
    } else if (told < 0 && by != null && left(by) && storage.newestGivenUp(now())) {
      broken(
          Invariant.VALID_CHECKPOINT,
          "job %s is left to its script, which takes up what it gave up".formatted(before.key()));
    } else if (newest > 0 && by != null && verdict(by).equals("None")) {
      broken(
          Invariant.VALID_CHECKPOINT,
          "job %s starts over; there is a checkpoint of step %d".formatted(before.key(), newest));
    }
  }

  /** Who has judged its checkpoints before the newest was torn may be wrong about it. */
  private boolean tornLately(JobKey job) {
    Instant at = torn.get(job.toString());
    return at != null && !longAgo(at);
  }

  /** Whatever else may be excused: what a script gives up stays given up. */
  private void wentBack(String recovery, long to, Storage storage) {
    Long before = rollBacks.get(recovery);
    if (before != null && to >= 0 && to < before && to < storage.newestValid(now())) {
      storage.goBack(to);
    }
  }

  /** Where training is to go on: at the newest checkpoint, unless its script asks to go back. */
  private long wanted(String recovery, Storage storage) {
    Long before = rollBacks.get(recovery);
    return before == null ? storage.newestValid(now()) : storage.newestValidBefore(before, now());
  }

  /** Whether nothing was judged, and the script decides. */
  private static boolean left(RecoveryObject recovery) {
    return verdict(recovery).equals("Unknown");
  }

  private static String verdict(RecoveryObject recovery) {
    return Optional.ofNullable(recovery.status())
        .map(RecoveryStatus::plan)
        .map(RecoveryStatus.Plan::checkpoint)
        .map(RecoveryStatus.PinnedCheckpoint::verdict)
        .orElse("");
  }

  @Override
  public void deleted(PodObject pod, Duration grace) {
    world
        .jobs()
        .find(pod.job().toString())
        .filter(job -> job.meta().uid().equals(pod.meta().owner()))
        .ifPresent(job -> deleted(job, pod));
  }

  private void deleted(JobObject job, PodObject pod) {
    touches(job, "deletion of pod " + pod.meta().name());
    if (!job.suspend() && open(job).stream().anyMatch(recovery -> inPlace(recovery.status()))) {
      needsBarrier(job, "pod %s is deleted".formatted(pod.meta().name()));
    }
  }

  private void touches(JobObject job, String how) {
    String uid = job.meta().uid();
    boolean stillOurs =
        (job.suspend() && !job.suspendedBy().isEmpty())
            || (!how.startsWith("order") && orderOf(job).isPresent());
    Instant out = optedOut.get(uid);
    if (out != null && (out.equals(Instant.MIN) || (longAgo(out) && !stillOurs))) {
      broken(Invariant.ONLY_OPTED_IN, "%s, though job %s did not opt in".formatted(how, job.key()));
    }
    if (longAgo(suspendedByUser.get(uid))) {
      broken(
          Invariant.ONLY_OPTED_IN,
          "%s, though the user suspended job %s".formatted(how, job.key()));
    }
  }

  @Override
  public void announced(Announcement said) {
    JobKey job = said.job();
    if (job != null && WHY_NOT.contains(said.reason())) {
      refused.put(job.toString(), said);
    }
    if (said.reason() == Reason.API_REFUSED) {
      saidRefused.add(said.jobUid());
    }
  }

  // --- 2 and 10: what must come to be -------------------------------------------------------

  /** Jobs that are suspended by us while no open recovery says why. */
  List<String> leftSuspended() {
    List<String> left = new ArrayList<>();
    for (JobObject job : world.jobs().all()) {
      if (job.suspend() && !job.suspendedBy().isEmpty() && open(job).isEmpty()) {
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
        List<String> frozen = world.gang(job.meta().uid()).thawable();
        if (!frozen.isEmpty()) {
          left.add("%s of job %s".formatted(frozen, job.key()));
        }
        orderOf(job).ifPresent(order -> left.add("order " + order.meta().name()));
      }
    }
    return left;
  }

  private List<RecoveryObject> open(JobObject job) {
    List<RecoveryObject> open = new ArrayList<>();
    for (RecoveryObject recovery : world.recoveries().all()) {
      if (recovery.spec().jobUid().equals(job.meta().uid()) && recovery.open()) {
        open.add(recovery);
      }
    }
    return open;
  }

  /** Why the run has not come to rest; empty when it has. */
  String unrest() {
    return unrest(Instant.MAX);
  }

  /**
   * The same, but for recoveries that have just begun: a crash loop is answered once an hour, by
   * its budget, and so may be as the run ends.
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
      boolean kept = policy.fenceLemons() && lemon(node);
      if (!node.fencedBy().isEmpty()
          && node.unschedulable()
          && !kept
          && !faulty(node.meta().name())) {
        return "node %s is fenced by %s without a fault"
            .formatted(node.meta().name(), node.fencedBy());
      }
    }
    return "";
  }

  private static boolean isHeld(RecoveryObject recovery) {
    RecoveryStatus status = recovery.status();
    return status != null && status.phase() == RecoveryPhase.HELD;
  }

  private String unrest(JobObject job, Instant begun) {
    Gang gang = world.gang(job.meta().uid());
    boolean held = open(job).stream().anyMatch(Invariants::isHeld);
    for (RecoveryObject recovery : open(job)) {
      RecoveryStatus status = recovery.status();
      // What two leaders opened for one trouble waits for the end of the one that was first.
      if (!isHeld(recovery)
          && !(held && status == null)
          && !isUnwritable(job)
          && !recovery.meta().created().isAfter(begun)) {
        return "recovery %s is open: %s"
            .formatted(
                recovery.meta().name(),
                status == null || status.timeline().isEmpty()
                    ? "no status"
                    : status.timeline().getLast());
      }
    }
    boolean left =
        !automatic(job)
            || (job.suspend() && job.suspendedBy().isEmpty())
            || gang.moving()
            || !seenStepping(job)
            || job.status().finish() == Finish.SUCCEEDED
            || job.status().message().contains("backoff limit")
            || !open(job).isEmpty()
            || waitsForPlace(job)
            || saidWhyNot(job);
    return left ? "" : "job %s stands at step %d".formatted(job.key(), gang.view().step());
  }

  /** A status that can never be written cannot say why: an Event has to. */
  private boolean isUnwritable(JobObject job) {
    return saidRefused.contains(job.meta().uid())
        && answers.forGood(job.key()).stream().anyMatch(a -> a.calls().contains(Call.SAVE));
  }

  /** Nobody can say that what was never seen to make a step stands still. */
  private boolean seenStepping(JobObject job) {
    for (RankObject rank : world.ranks().all()) {
      if (rank.view().job().equals(job.key()) && rank.view().lastStep() != null) {
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

  /** One that its user resumed, or never stopped: the scheduler says of a pod that it has none. */
  private boolean waitsForPlace(JobObject job) {
    return job.template().attempt().isEmpty()
        && world.podsOf(job).stream()
            .anyMatch(pod -> pod.node().isEmpty() && pod.status().failure() != null);
  }

  private boolean saidWhyNot(JobObject job) {
    Announcement last = refused.get(job.key().toString());
    return last != null && last.jobUid().equals(job.meta().uid());
  }
}
