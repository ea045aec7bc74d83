package dev.rekindle.controller.recovery;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoverySpec;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RecoveryStatus.Cause;
import dev.rekindle.api.RecoveryStatus.Outcome;
import dev.rekindle.api.RecoveryStatus.RollBack;
import dev.rekindle.api.RestartOrderSpec;
import dev.rekindle.controller.checkpoint.Inspection;
import dev.rekindle.controller.cluster.ClusterGateway;
import dev.rekindle.controller.cluster.ClusterGateway.BreakerFullException;
import dev.rekindle.controller.cluster.ClusterGateway.RefusedException;
import dev.rekindle.controller.cluster.ClusterState;
import dev.rekindle.controller.cluster.FaultView;
import dev.rekindle.controller.cluster.JobKey;
import dev.rekindle.controller.cluster.JobView;
import dev.rekindle.controller.cluster.NodeView;
import dev.rekindle.controller.cluster.OrderView;
import dev.rekindle.controller.cluster.PodView;
import dev.rekindle.controller.cluster.Policy;
import dev.rekindle.controller.cluster.RankView;
import dev.rekindle.controller.cluster.RecoveryView;
import dev.rekindle.controller.cluster.RestartView;
import dev.rekindle.controller.fence.FenceLimit;
import dev.rekindle.controller.journal.Announcement;
import dev.rekindle.controller.journal.Metrics;
import dev.rekindle.controller.journal.Reason;
import dev.rekindle.controller.policy.RuledJob;
import dev.rekindle.controller.runtime.Reconciler;
import dev.rekindle.controller.runtime.SideBySide;
import dev.rekindle.controller.shadow.Scorekeeper;
import dev.rekindle.controller.verdict.GangProgress;
import dev.rekindle.controller.verdict.JobSnapshot;
import dev.rekindle.controller.verdict.JobVerdicts;
import dev.rekindle.controller.verdict.NodeFacts;
import dev.rekindle.controller.verdict.Restarts;
import dev.rekindle.controller.verdict.Verdict;
import dev.rekindle.detect.SteadyClock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks at one job: goes on with its open recovery, or asks whether it needs one. Observes through
 * {@link ClusterState}, decides with {@link JobVerdicts} and {@link RecoveryMachine}, acts through
 * {@link ClusterGateway}. What it remembers in memory only saves work; everything that matters is
 * in the Recovery object.
 */
public final class JobReconciler implements Reconciler<JobKey> {
  private static final Logger LOG = LoggerFactory.getLogger(JobReconciler.class);

  /** A look may move through several phases at once; more than that in one go would be a loop. */
  private static final int MAX_STEPS = 16;

  private static final int MAX_IN_FLIGHT = 32;

  /** Silent nodes that are asked after; one question each. */
  private static final int MAX_LEASES = 4;

  /** From here a gang that drains anew needs a scan of its checkpoints that begins after that. */
  private static final Set<RecoveryPhase> AFTER_DRAINING =
      EnumSet.of(RecoveryPhase.PLANNING, RecoveryPhase.RESUMING, RecoveryPhase.VERIFYING);

  /** A full breaker is asked again calmly: somebody must release a node, or a cache catch up. */
  private static final Duration BREAKER_FULL = Duration.ofSeconds(5);

  private static final Duration REST_FOR_100_PODS = Duration.ofMillis(1);

  private static final Duration SAY_AGAIN = Duration.ofHours(1);

  private final ClusterState state;
  private final ClusterGateway gateway;
  private final Metrics metrics;
  private final ReportAudit audit;
  private final InstantSource clock;
  private final SideBySide effects;
  private final Scorekeeper scores;
  private final Records records;
  private final PhaseTimes phases;
  private final Map<JobKey, Said> said = new ConcurrentHashMap<>();
  private final Map<JobKey, InspectorMemory> inspectors = new ConcurrentHashMap<>();
  private final Map<JobKey, Reached> reached = new ConcurrentHashMap<>();

  /** Takes what it reads from, what it acts through and the clocks. */
  public JobReconciler(
      ClusterState state,
      ClusterGateway gateway,
      Metrics metrics,
      InstantSource clock,
      SteadyClock steady) {
    this(state, gateway, metrics, clock, SideBySide.onVirtualThreads(MAX_IN_FLIGHT), steady);
  }

  /**
   * The same, with a way of its own to carry out effects that go out together, and a clock that
   * never steps.
   */
  public JobReconciler(
      ClusterState state,
      ClusterGateway gateway,
      Metrics metrics,
      InstantSource clock,
      SideBySide effects) {
    this(state, gateway, metrics, clock, effects, SteadyClock.over(clock));
  }

  /** The same, where the clock may step. */
  public JobReconciler(
      ClusterState state,
      ClusterGateway gateway,
      Metrics metrics,
      InstantSource clock,
      SideBySide effects,
      SteadyClock steady) {
    this.phases = new PhaseTimes(steady);
    this.effects = effects;
    this.state = state;
    this.gateway = gateway;
    this.metrics = metrics;
    this.audit = new ReportAudit(metrics);
    this.clock = clock;
    this.scores = new Scorekeeper(state, gateway, metrics);
    this.records = new Records(gateway, metrics);
  }

  /**
   * A look at a big gang goes through all its pods, each of which changes some times while the gang
   * comes up: without a rest, one gang of 8,192 pods took a third of a core by that.
   */
  @Override
  public Duration rest(JobKey key) {
    return state
        .job(key)
        .map(job -> REST_FOR_100_PODS.multipliedBy(job.gangSize() / 100))
        .orElse(Duration.ZERO);
  }

  @Override
  public Optional<Duration> reconcile(JobKey key) {
    Optional<RecoveryView> open =
        state.recoveries(key).stream()
            .filter(RecoveryView::open)
            .min(Comparator.comparing(RecoveryView::name));
    if (open.isPresent() && open.get().status() == null) {
      return begin(key, open.get());
    }
    if (open.isPresent()) {
      return RecoveryMachine.answeredBy(open.get(), state.recoveries(key))
          .map(other -> cancelAnswered(key, open.get(), other))
          .orElseGet(() -> goOn(key, open.get()));
    }
    inspectors.remove(key);
    reached.remove(key);
    phases.forget(key);
    withdraw(key, List.of());
    Optional<JobView> job = state.job(key);
    List<RankView> ranks = job.map(j -> ranksOf(j, podsOf(j))).orElse(List.of());
    boolean followed = scores.followJob(key.toString(), job, ranks, clock.instant());
    Optional<Duration> again = job.map(j -> judge(key, j)).orElseGet(() -> forget(key));
    return followed && again.isEmpty() ? Optional.of(Scorekeeper.AGAIN) : again;
  }

  private Optional<Duration> cancelAnswered(JobKey key, RecoveryView recovery, String other) {
    String why = "recovery %s ended after this one was opened and has answered it".formatted(other);
    RecoveryStatus status = Objects.requireNonNull(recovery.status());
    RecoveryStatus over = Story.enter(status, RecoveryPhase.CANCELLED, why, clock.instant());
    var _ =
        move(key, recovery, over, List.of(new Decision.Note(Reason.RECOVERY_CANCELLED, why, "")));
    return Optional.of(Duration.ZERO);
  }

  private Optional<Duration> forget(JobKey key) {
    said.remove(key);
    return Optional.empty();
  }

  private Optional<Duration> judge(JobKey key, JobView job) {
    RuledJob ruled = RuledJob.of(state, job);
    Instant now = clock.instant();
    records.collect(job, recoveriesOf(job), ruled.policy(), now);
    return switch (JobVerdicts.decide(snapshot(ruled.job()), ruled.policy(), now)) {
      case Verdict.Leave _ -> Optional.empty();
      case Verdict.Watch(_, Instant until) -> Optional.of(positive(Duration.between(now, until)));
      case Verdict.Refuse(Reason reason, String message) ->
          refuse(key, job, reason, ruled.noted(reason, message), now);
      case Verdict.CameBack back -> {
        records.tell(job, podsOf(job), state.recoveries(key), back, now);
        yield Optional.of(Duration.ZERO);
      }
      case Verdict.Recover(Cause cause, _) -> open(key, job, cause, now);
    };
  }

  private Optional<Duration> refuse(
      JobKey key, JobView job, Reason reason, String message, Instant now) {
    Said last = said.get(key);
    if (last == null || !last.same(job.uid(), reason) || last.at().plus(SAY_AGAIN).isBefore(now)) {
      said.put(key, new Said(job.uid(), reason, now));
      LOG.atWarn().addKeyValue("job", key).addKeyValue("reason", reason.word()).log(message);
      metrics.refused(reason);
      gateway.announce(new Announcement(key, job.uid(), reason, message, ""));
    }
    if (reason == Reason.WOULD_RECOVER) {
      scores.wouldRestart(job, message, now);
    }
    return Optional.of(Duration.ofMinutes(1));
  }

  private Optional<Duration> open(JobKey key, JobView job, Cause cause, Instant now) {
    String name = RecoveryNames.next(job, podsOf(job), state.recoveries(key));
    RecoverySpec spec = new RecoverySpec(key.name(), job.uid(), now, null);
    RecoveryView draft = new RecoveryView(key.namespace(), name, "", "", spec, null);
    RecoveryView created = gateway.open(draft);
    metrics.opened(cause.reason());
    LOG.atInfo()
        .addKeyValue("job", key)
        .addKeyValue("recovery", created.name())
        .addKeyValue("reason", cause.reason())
        .log(cause.message());
    return created.status() == null
        ? begin(key, created, withLeases(cause, now))
        : goOn(key, created);
  }

  /** A silent node's lease tells how long its kubelet has been gone; asked for only here. */
  private Cause withLeases(Cause cause, Instant now) {
    Map<String, Instant> renewed = new TreeMap<>();
    cause.silentNodes().stream()
        .limit(MAX_LEASES)
        .forEach(node -> gateway.lease(node).ifPresent(at -> renewed.put(node, at)));
    return Story.withLeases(cause, renewed, now);
  }

  /**
   * A recovery without a status: its process died between creating it and telling why. The facts
   * are asked again.
   */
  private Optional<Duration> begin(JobKey key, RecoveryView recovery) {
    JobView job = jobOf(recovery).orElse(null);
    Cause none =
        new Cause("None", "the signal is gone", List.of(), List.of(), List.of(), List.of(), null);
    if (job != null) {
      JobSnapshot snapshot = snapshot(job);
      JobSnapshot without =
          new JobSnapshot(
              job,
              snapshot.pods(),
              snapshot.nodes(),
              snapshot.faults(),
              snapshot.ranks(),
              snapshot.recoveries().stream()
                  .filter(r -> !r.name().equals(recovery.name()))
                  .toList());
      Verdict verdict = JobVerdicts.decide(without, policyOf(job), clock.instant());
      if (verdict instanceof Verdict.Recover(Cause cause, _)) {
        return begin(key, recovery, cause);
      }
    }
    RecoveryStatus status = Story.begin(none, List.of(), clock.instant());
    RecoveryStatus over =
        Story.enter(status, RecoveryPhase.CANCELLED, none.message(), clock.instant());
    gateway.save(recovery.with(over));
    return Optional.of(Duration.ZERO);
  }

  private Optional<Duration> begin(JobKey key, RecoveryView recovery, Cause cause) {
    List<String> nodes = jobOf(recovery).map(this::nodesOf).orElse(List.of());
    Instant at = Objects.requireNonNullElse(recovery.spec().detectedAt(), clock.instant());
    RecoveryStatus status = Story.begin(cause, nodes, at);
    RecoveryView stored = gateway.save(recovery.with(status));
    announce(key, stored, new Decision.Note(Reason.RECOVERY_STARTED, cause.message(), ""));
    return goOn(key, stored);
  }

  private Optional<Duration> goOn(JobKey key, RecoveryView recovery) {
    withdraw(key, List.of(recovery.name()));
    RecoveryView current = recovery;
    for (int step = 0; step < MAX_STEPS; step++) {
      RecoverySnapshot snapshot = observe(key, phases.settled(current, clock.instant()));
      Policy policy = snapshot.job() == null ? Policy.DEFAULT : policyOf(snapshot.job());
      switch (RecoveryMachine.decide(snapshot, policy, clock.instant())) {
        case Decision.Move(RecoveryStatus next, List<Decision.Note> notes) -> {
          current = move(key, current, next, notes);
          if (!current.open()) {
            gateway.stopInspector(key, current.name());
            withdraw(key, List.of());
            inspectors.remove(key);
            return Optional.of(Duration.ZERO);
          }
        }
        case Decision.Act(List<Effect> together, Duration recheck) -> {
          try {
            carryOut(key, current, together);
          } catch (BreakerFullException full) {
            String why = String.valueOf(full.getMessage());
            if (RecoveryMachine.breakerFull(snapshot, why, clock.instant())
                instanceof Decision.Move(RecoveryStatus next, List<Decision.Note> notes)) {
              var _ = move(key, current, next, notes);
            }
            return Optional.of(BREAKER_FULL);
          }
          return Optional.of(recheck);
        }
        case Decision.Wait(_, Duration recheck) -> {
          return Optional.of(recheck);
        }
      }
    }
    throw new IllegalStateException("recovery " + recovery.name() + " does not settle");
  }

  private RecoveryView move(
      JobKey key, RecoveryView from, RecoveryStatus next, List<Decision.Note> notes) {
    RecoveryStatus last = Objects.requireNonNull(from.status());
    RecoveryView stored = gateway.save(from.with(next));
    RecoveryPhase left = Objects.requireNonNull(last.phase());
    RecoveryPhase entered = Objects.requireNonNull(next.phase());
    String detail = next.timeline().isEmpty() ? "" : next.timeline().getLast().detail();
    LOG.atInfo()
        .addKeyValue("job", key)
        .addKeyValue("recovery", stored.name())
        .addKeyValue("phase", entered.word())
        .addKeyValue("attempt", next.attempt())
        .log(detail);
    Instant since = last.phaseSince();
    if (left != entered && since != null) {
      metrics.phase(left, Duration.between(since, clock.instant()).toMillis() / 1000.0);
    }
    if (entered == RecoveryPhase.DRAINING && AFTER_DRAINING.contains(left)) {
      inspectors.remove(key);
    }
    String cause = next.cause() == null ? "None" : next.cause().reason();
    Outcome outcome = next.outcome();
    if (entered.isTerminal()) {
      metrics.ended(cause, entered);
      blame(stored);
    }
    if (entered == RecoveryPhase.RECOVERED
        && outcome != null
        && outcome.downtimeSeconds() != null) {
      metrics.downtime(cause, outcome.downtimeSeconds());
    }
    notes.forEach(note -> announce(key, stored, note));
    return stored;
  }

  /** Fences write down what they are for; of a node that only fell silent nobody else would. */
  private void blame(RecoveryView over) {
    RecoveryStatus status = over.status();
    if (status != null && status.cause() != null) {
      String by = over.namespace() + "/" + over.name();
      for (String node : status.cause().silentNodes()) {
        gateway.blame(node, by);
      }
    }
  }

  /**
   * Sends effects out side by side: the deletions of a big gang take seconds one after another, and
   * they should reach the API server before the operator, woken by the suspension, sends its own.
   */
  private void carryOut(JobKey key, RecoveryView recovery, List<Effect> together) {
    effects.run(
        together.stream().<Runnable>map(effect -> () -> act(key, recovery, effect)).toList());
  }

  private void act(JobKey key, RecoveryView recovery, Effect effect) {
    LOG.atDebug()
        .addKeyValue("job", key)
        .addKeyValue("recovery", recovery.name())
        .log(effect.toString());
    String uid = recovery.spec().jobUid();
    switch (effect) {
      case Effect.Cordon(String node, String reason, FenceLimit limit) -> {
        String by = recovery.namespace() + "/" + recovery.name();
        if (gateway.cordon(node, by, reason, limit)) {
          gateway.announce(
              Announcement.onNode(node, Reason.NODE_FENCED, reason + " (recovery " + by + ")"));
          metrics.fenced();
        }
      }
      case Effect.Suspend() ->
          gateway.suspend(key, uid, recovery.name(), RecoveryMachine.attemptId(recovery));
      case Effect.Revive() -> gateway.revive(key, uid, recovery.name());
      case Effect.DeletePod(String pod, String podUid, Duration grace) ->
          gateway.deletePod(key, pod, podUid, grace);
      case Effect.StartInspector() -> {
        Optional<Inspection.Unable> unable = startInspector(key, uid, recovery.name());
        String refusal = unable.map(Inspection.Unable::reason).orElse("");
        inspectors.put(key, new InspectorMemory(recovery.name(), refusal, null));
      }
      case Effect.StopInspector() -> {
        gateway.stopInspector(key, recovery.name());
        inspectors.remove(key);
      }
      case Effect.Order(String name, RestartOrderSpec spec) -> gateway.order(recovery, name, spec);
      case Effect.Untell() -> gateway.untell(key, uid);
      case Effect.TellPod(String pod, String podUid, String attempt, String path, Long step) ->
          gateway.tell(key, pod, podUid, attempt, path, step);
      case Effect.Resume(ResumeOrder order) -> {
        gateway.resume(key, uid, order);
        announce(
            key,
            recovery,
            new Decision.Note(Reason.JOB_RESUMED, "as attempt " + order.attempt(), ""));
      }
    }
  }

  /** A refusal by the API server is an answer: a quota, a webhook, a volume that is not allowed. */
  private Optional<Inspection.Unable> startInspector(JobKey key, String uid, String recovery) {
    try {
      return gateway.startInspector(key, uid, recovery);
    } catch (RefusedException refused) {
      return Optional.of(new Inspection.Unable("the inspector was refused: " + refused.text()));
    }
  }

  private RecoverySnapshot observe(JobKey key, RecoveryView recovery) {
    JobView job = jobOf(recovery).orElse(null);
    List<PodView> pods = job == null ? List.of() : podsOf(job);
    RecoveryPhase phase = RecoveryMachine.phase(recovery);
    boolean mayBeDrained =
        job != null && pods.isEmpty() && job.suspensionSeen() && !phase.isTerminal();
    boolean drained = false;
    if (mayBeDrained && phase != RecoveryPhase.PLANNING && phase != RecoveryPhase.RESUMING) {
      List<PodView> live =
          gateway.livePods(key).stream()
              .filter(p -> p.jobUid().equals(recovery.spec().jobUid()))
              .toList();
      drained = live.isEmpty();
    }
    Map<String, NodeView> nodes =
        state.nodes().stream().collect(Collectors.toMap(NodeView::name, Function.identity()));
    InspectorMemory memory = inspectors.get(key);
    boolean started = memory != null && memory.recovery().equals(recovery.name());
    Inspection inspection = new Inspection.Pending("not started");
    if (started && phase == RecoveryPhase.PLANNING) {
      inspection = inspect(key, Objects.requireNonNull(memory));
      memory = inspectors.get(key);
    }
    List<RankView> ranks = job == null ? List.of() : ranksOf(job, pods);
    OrderView order = orderOf(key, recovery).orElse(null);
    List<RestartView> reports = order == null ? List.of() : reportsOn(key, order);
    audit.look(key, pods, reports);
    return new RecoverySnapshot(
        recovery,
        job,
        pods,
        nodes,
        faultsOn(Stream.concat(pods.stream().map(PodView::node), blamed(recovery))),
        ranks,
        order,
        reports,
        job != null && phase == RecoveryPhase.PLANNING ? taken(job, nodes.keySet()) : Map.of(),
        job == null ? 0 : restarts(job, recovery),
        phase == RecoveryPhase.DRAINING || phase == RecoveryPhase.PLANNING
            ? reached(key, recovery, pods, ranks)
            : null,
        drained,
        started,
        inspection,
        job == null || phase != RecoveryPhase.PLANNING ? List.of() : rollBacks(job, recovery),
        memory == null ? null : memory.scanFloor());
  }

  private List<RollBack> rollBacks(JobView job, RecoveryView current) {
    return recoveriesOf(job).stream()
        .filter(r -> !r.name().equals(current.name()))
        .map(RecoveryView::status)
        .filter(Objects::nonNull)
        .flatMap(status -> Planning.rollBack(status).stream())
        .toList();
  }

  private Optional<OrderView> orderOf(JobKey key, RecoveryView recovery) {
    if (recovery.status() == null) {
      return Optional.empty();
    }
    String name = RecoveryMachine.attemptId(recovery);
    return state.orders(key).stream()
        .filter(o -> o.name().equals(name) && o.spec().jobUid().equals(recovery.spec().jobUid()))
        .findFirst();
  }

  private List<RestartView> reportsOn(JobKey key, OrderView order) {
    return state.restarts(key).stream()
        .filter(r -> r.spec().orderUid().equals(order.uid()))
        .toList();
  }

  /**
   * Takes back what agents were told, but for the given recoveries: what is still frozen goes on.
   * An order outlives its recovery where a leader dies between its last two calls.
   */
  private void withdraw(JobKey key, List<String> open) {
    state.orders(key).stream()
        .filter(o -> !open.contains(o.spec().recovery()))
        .forEach(o -> gateway.withdraw(key, o.name()));
  }

  private Map<String, Long> taken(JobView job, Collection<String> nodes) {
    Map<String, Long> taken = new HashMap<>();
    for (String node : nodes) {
      long gpus =
          state.podsOn(node).stream()
              .filter(p -> p.live() && !p.jobUid().equals(job.uid()))
              .mapToLong(PodView::gpus)
              .sum();
      if (gpus > 0) {
        taken.put(node, gpus);
      }
    }
    return taken;
  }

  private int restarts(JobView job, RecoveryView current) {
    Stream<RecoveryView> others =
        recoveriesOf(job).stream().filter(r -> !r.name().equals(current.name()));
    return Restarts.since(
        Stream.concat(others, Stream.of(current)).toList(),
        clock.instant().minus(policyOf(job).budgetWindow()));
  }

  /**
   * The newest step seen while the gang drains. A new process has seen less; then the step told is
   * an earlier one.
   */
  private @Nullable Long reached(
      JobKey key, RecoveryView recovery, List<PodView> pods, List<RankView> ranks) {
    Long step = GangProgress.of(pods, ranks).lastStep();
    Reached before = reached.get(key);
    boolean same = before != null && before.recovery().equals(recovery.name());
    if (step != null && (!same || step > Objects.requireNonNull(before).step())) {
      reached.put(key, new Reached(recovery.name(), step));
      return step;
    }
    return same ? Objects.requireNonNull(before).step() : null;
  }

  /**
   * Reads the inspector; the first report after the drain sets the floor that later scans must
   * pass.
   */
  private Inspection inspect(JobKey key, InspectorMemory memory) {
    if (!memory.refusal().isEmpty()) {
      return new Inspection.Unable(memory.refusal());
    }
    Inspection inspection = gateway.inspect(key, memory.recovery());
    if (memory.scanFloor() == null) {
      switch (inspection) {
        case Inspection.Report report ->
            inspectors.put(key, new InspectorMemory(memory.recovery(), "", report.scan()));
        // No scan is finished, though the first may be under way: the second is the one.
        case Inspection.Pending _ ->
            inspectors.put(key, new InspectorMemory(memory.recovery(), "", 0L));
        case Inspection.Unable _ -> {}
      }
    }
    return inspection;
  }

  private JobSnapshot snapshot(JobView job) {
    List<PodView> pods = podsOf(job);
    Map<String, NodeView> nodes = new HashMap<>();
    for (PodView pod : pods) {
      state.node(pod.node()).ifPresent(n -> nodes.put(n.name(), n));
    }
    List<FaultView> faults = faultsOn(pods.stream().map(PodView::node));
    return new JobSnapshot(job, pods, nodes, faults, ranksOf(job, pods), recoveriesOf(job));
  }

  private List<RecoveryView> recoveriesOf(JobView job) {
    return state.recoveries(job.key()).stream()
        .filter(r -> r.spec().jobUid().equals(job.uid()))
        .toList();
  }

  private Optional<JobView> jobOf(RecoveryView recovery) {
    return state
        .job(recovery.job())
        .filter(j -> j.uid().equals(recovery.spec().jobUid()))
        .map(j -> RuledJob.of(state, j).job());
  }

  private Policy policyOf(JobView job) {
    return RuledJob.of(state, job).policy();
  }

  private List<String> nodesOf(JobView job) {
    return podsOf(job).stream()
        .map(PodView::node)
        .filter(n -> !n.isEmpty())
        .distinct()
        .sorted()
        .toList();
  }

  private List<PodView> podsOf(JobView job) {
    return state.pods(job.key()).stream().filter(p -> p.jobUid().equals(job.uid())).toList();
  }

  /** Nodes that the recovery holds for faulty: whether they still are is asked anew. */
  private static Stream<String> blamed(RecoveryView recovery) {
    RecoveryStatus status = recovery.status();
    return status == null || status.cause() == null
        ? Stream.empty()
        : status.cause().faultyNodes().stream();
  }

  /** Faults, weighed: so that a recovery fences what the node's own verdict does not lift. */
  private List<FaultView> faultsOn(Stream<String> nodes) {
    Instant now = clock.instant();
    return nodes
        .filter(n -> !n.isEmpty())
        .distinct()
        .flatMap(n -> NodeFacts.faults(state, n, now).stream())
        .toList();
  }

  /**
   * Reports on present pods, from the agent of the node that the pod is on: no agent speaks for
   * another's pods.
   */
  private List<RankView> ranksOf(JobView job, List<PodView> pods) {
    Map<String, String> nodes =
        pods.stream().collect(Collectors.toMap(PodView::uid, PodView::node, (a, _) -> a));
    return state.ranks(job.key()).stream()
        .filter(r -> r.node().equals(nodes.get(r.podUid())))
        .toList();
  }

  private void announce(JobKey key, RecoveryView recovery, Decision.Note note) {
    gateway.announce(
        new Announcement(
            key,
            recovery.spec().jobUid(),
            note.reason(),
            recovery.name() + ": " + note.text(),
            note.node()));
  }

  private static Duration positive(Duration duration) {
    return duration.isNegative() ? Duration.ZERO : duration;
  }

  /** What was last said about a job, so that it is not said at every look. */
  private record Said(String uid, Reason reason, Instant at) {
    boolean same(String otherUid, Reason otherReason) {
      return uid.equals(otherUid) && reason == otherReason;
    }
  }

  /** The newest step that this process saw during a recovery. */
  private record Reached(String recovery, long step) {}

  /**
   * What this process did about an inspector.
   *
   * @param recovery for which recovery
   * @param refusal why it could not be started, else empty
   * @param scanFloor newest scan that had been reported when the drain was over, 0 when none had
   */
  private record InspectorMemory(String recovery, String refusal, @Nullable Long scanFloor) {}
}
