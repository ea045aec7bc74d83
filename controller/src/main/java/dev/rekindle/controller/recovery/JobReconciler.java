package dev.rekindle.controller.recovery;

import dev.rekindle.api.JobRef;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoverySpec;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RecoveryStatus.Cause;
import dev.rekindle.controller.diagnosis.JobSnapshot;
import dev.rekindle.controller.diagnosis.JobVerdicts;
import dev.rekindle.controller.diagnosis.Verdict;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.OrderView;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.model.RankView;
import dev.rekindle.controller.model.Reason;
import dev.rekindle.controller.model.RecoveryView;
import dev.rekindle.controller.policy.RuledJob;
import dev.rekindle.controller.port.ClusterGateway;
import dev.rekindle.controller.port.ClusterGateway.BreakerFullException;
import dev.rekindle.controller.port.ClusterGateway.CallException;
import dev.rekindle.controller.port.ClusterGateway.StaleException;
import dev.rekindle.controller.port.ClusterState;
import dev.rekindle.controller.runtime.ParallelExecutor;
import dev.rekindle.controller.runtime.Reconciler;
import dev.rekindle.controller.shadow.ShadowRecorder;
import dev.rekindle.controller.telemetry.Metrics;
import dev.rekindle.detect.SteadyClock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
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

  /**
   * A reconcile may move through several phases at once; more than that in one go would be a loop.
   */
  private static final int MAX_STEPS = 16;

  private static final int MAX_IN_FLIGHT = 32;

  /** Silent nodes that are asked after; one question each. */
  private static final int MAX_LEASES = 4;

  /** A full breaker is asked again calmly: somebody must release a node, or a cache catch up. */
  private static final Duration BREAKER_FULL = Duration.ofSeconds(5);

  private static final Duration REST_FOR_100_PODS = Duration.ofMillis(1);

  /** In whose name something is asked for where no recovery is open. */
  static final String NO_RECOVERY = "";

  private final ClusterState state;
  private final ClusterGateway gateway;
  private final Metrics metrics;
  private final InstantSource clock;
  private final JobFacts facts;
  private final InspectorSession inspectors;
  private final Effects effects;
  private final RecoveryObserver observer;
  private final ShadowRecorder scores;
  private final Records records;
  private final PhaseTimes phases;
  private final Sayings sayings;
  private final RecoveryWriter writer;

  /** Takes what it reads from, what it acts through and the clocks. */
  public JobReconciler(
      ClusterState state,
      ClusterGateway gateway,
      Metrics metrics,
      InstantSource clock,
      SteadyClock steady) {
    this(state, gateway, metrics, clock, ParallelExecutor.onVirtualThreads(MAX_IN_FLIGHT), steady);
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
      ParallelExecutor together) {
    this(state, gateway, metrics, clock, together, SteadyClock.over(clock));
  }

  /** The same, where the clock may step. */
  public JobReconciler(
      ClusterState state,
      ClusterGateway gateway,
      Metrics metrics,
      InstantSource clock,
      ParallelExecutor together,
      SteadyClock steady) {
    this.phases = new PhaseTimes(steady);
    this.state = state;
    this.gateway = gateway;
    this.metrics = metrics;
    this.clock = clock;
    this.facts = new JobFacts(state, clock);
    this.inspectors = new InspectorSession(gateway);
    this.effects = new Effects(gateway, metrics, clock, together, inspectors);
    this.observer =
        new RecoveryObserver(state, gateway, facts, effects, inspectors, metrics, clock);
    this.sayings = new Sayings(gateway, metrics, clock);
    this.writer = new RecoveryWriter(state, gateway, metrics, clock, effects, inspectors, sayings);
    this.scores = new ShadowRecorder(state, gateway, metrics);
    this.records = new Records(gateway, metrics);
  }

  /**
   * A reconcile of a big gang goes through all its pods, each of which changes some times while the
   * gang comes up: without a rest, one gang of 8,192 pods took a third of a core by that.
   */
  @Override
  public Duration minInterval(JobKey key) {
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
    inspectors.forget(key);
    observer.forget(key);
    phases.forget(key);
    withdraw(key, NO_RECOVERY);
    Optional<JobView> job = state.job(key);
    job.filter(j -> j.optIn() instanceof JobView.OptIn.Yes && !j.foreignMarks().isEmpty())
        .ifPresent(sayings::sayOfMarks);
    boolean followed = follow(key, job);
    Optional<Duration> again = job.map(j -> judge(key, j)).orElseGet(() -> forget(key));
    return sooner(followed && again.isEmpty() ? Optional.of(ShadowRecorder.AGAIN) : again, key);
  }

  /** What the API server has not carried out is asked for again, whatever else happens. */
  private Optional<Duration> sooner(Optional<Duration> again, JobKey key) {
    return Stream.concat(
            again.stream(), effects.failures(key, NO_RECOVERY).soonest(clock.instant()).stream())
        .min(Comparator.naturalOrder());
  }

  private boolean follow(JobKey key, Optional<JobView> job) {
    List<RankView> ranks = job.map(j -> facts.ranksOf(j, facts.podsOf(j))).orElse(List.of());
    return scored(key, () -> scores.followJob(key, job, ranks, clock.instant()));
  }

  /** A scorecard that cannot be written is no reason not to look after the job. */
  private static boolean scored(JobKey key, BooleanSupplier write) {
    try {
      return write.getAsBoolean();
    } catch (CallException | StaleException failed) {
      LOG.atWarn()
          .addKeyValue("job", key)
          .addKeyValue("error", failed.getMessage())
          .log("Cannot write the scorecard of a policy");
      return true;
    }
  }

  private Optional<Duration> cancelAnswered(JobKey key, RecoveryView recovery, String other) {
    String why = "recovery %s ended after this one was opened and has answered it".formatted(other);
    RecoveryStatus status = Objects.requireNonNull(recovery.status());
    RecoveryStatus over =
        RecoveryStatusBuilder.enter(status, RecoveryPhase.CANCELLED, why, clock.instant());
    var _ =
        writer.move(
            key, recovery, over, List.of(new Decision.Note(Reason.RECOVERY_CANCELLED, why, "")));
    return Optional.of(Duration.ZERO);
  }

  private Optional<Duration> forget(JobKey key) {
    sayings.forget(key);
    writer.forget(key);
    if (state.orders(key).isEmpty()) {
      effects.forget(key);
    }
    return Optional.empty();
  }

  private Optional<Duration> judge(JobKey key, JobView job) {
    RuledJob ruled = RuledJob.of(state, job);
    Instant now = clock.instant();
    records.collect(job, facts.recoveriesOf(job), ruled.policy(), now);
    return switch (JobVerdicts.decide(facts.snapshot(ruled.job()), ruled.policy(), now)) {
      case Verdict.NoAction _ -> Optional.empty();
      case Verdict.Watch(_, Instant until) -> Optional.of(positive(Duration.between(now, until)));
      case Verdict.Refuse(Reason reason, String message) ->
          refuse(key, job, reason, ruled.noted(reason, message), now);
      case Verdict.SelfRecovered back -> {
        records.tell(job, facts.podsOf(job), state.recoveries(key), back, now);
        yield Optional.of(Duration.ZERO);
      }
      case Verdict.Recover(Cause cause, _) -> open(key, job, cause, now);
    };
  }

  private Optional<Duration> refuse(
      JobKey key, JobView job, Reason reason, String message, Instant now) {
    sayings.say(key, job.uid(), reason, message);
    if (reason == Reason.WOULD_RECOVER) {
      var _ =
          scored(
              key,
              () -> {
                scores.wouldRestart(job, message, now);
                return true;
              });
    }
    return Optional.of(Duration.ofMinutes(1));
  }

  private Optional<Duration> open(JobKey key, JobView job, Cause cause, Instant now) {
    String name = RecoveryNames.next(job, facts.podsOf(job), state.recoveries(key));
    RecoverySpec spec = new RecoverySpec(JobRef.pyTorchJob(key.name(), job.uid()), now, null);
    RecoveryView draft = new RecoveryView(key.namespace(), name, "", "", spec, null);
    RecoveryView created = writer.create(key, job, draft).orElse(null);
    if (created == null) {
      return Optional.empty();
    }
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

  /** A silent node's lease says how long its kubelet has been gone; asked for only here. */
  private Cause withLeases(Cause cause, Instant now) {
    Map<String, Instant> renewed = new TreeMap<>();
    cause.silentNodes().stream()
        .limit(MAX_LEASES)
        .forEach(node -> gateway.lease(node).ifPresent(at -> renewed.put(node, at)));
    return RecoveryStatusBuilder.withLeases(cause, renewed, now);
  }

  /**
   * A recovery without a status: its process died between creating it and telling why. The facts
   * are asked again.
   */
  private Optional<Duration> begin(JobKey key, RecoveryView recovery) {
    Optional<Verdict> verdict = facts.jobOf(recovery).map(ruled -> anew(ruled, recovery));
    Cause cause = Unbegun.cause(verdict);
    if (verdict.isPresent() && verdict.get() instanceof Verdict.Recover) {
      return begin(key, recovery, cause);
    }
    RecoveryStatus status = RecoveryStatusBuilder.begin(cause, List.of(), clock.instant());
    RecoveryStatus over =
        RecoveryStatusBuilder.enter(
            status, RecoveryPhase.CANCELLED, cause.message(), clock.instant());
    var _ = writer.save(key, recovery.with(over));
    return Optional.of(Duration.ZERO);
  }

  /** The verdict on the job as if the recovery were not there. */
  private Verdict anew(RuledJob ruled, RecoveryView recovery) {
    JobSnapshot snapshot = facts.snapshot(ruled.job());
    JobSnapshot without =
        new JobSnapshot(
            ruled.job(),
            snapshot.pods(),
            snapshot.nodes(),
            snapshot.faults(),
            snapshot.ranks(),
            snapshot.recoveries().stream().filter(r -> !r.name().equals(recovery.name())).toList());
    return JobVerdicts.decide(without, ruled.policy(), clock.instant());
  }

  private Optional<Duration> begin(JobKey key, RecoveryView recovery, Cause cause) {
    List<String> nodes = facts.jobOf(recovery).map(r -> facts.nodesOf(r.job())).orElse(List.of());
    Instant at = Objects.requireNonNullElse(recovery.spec().detectedAt(), clock.instant());
    RecoveryStatus status = RecoveryStatusBuilder.begin(cause, nodes, at);
    RecoveryView stored = writer.save(key, recovery.with(status));
    writer.recordEvent(
        key, stored, new Decision.Note(Reason.RECOVERY_STARTED, cause.message(), ""));
    return goOn(key, stored);
  }

  private Optional<Duration> goOn(JobKey key, RecoveryView recovery) {
    withdraw(key, recovery.name());
    RecoveryView current = recovery;
    for (int step = 0; step < MAX_STEPS; step++) {
      Optional<RuledJob> ruled = facts.jobOf(current);
      RecoverySnapshot seen = observer.observe(key, current, ruled);
      // The calls of a reconcile take time: what the clock is set by meanwhile must not count
      // either.
      Instant now = clock.instant();
      RecoverySnapshot snapshot = seen.withRecovery(phases.settled(current, now));
      Policy policy = ruled.map(RuledJob::policy).orElse(Policy.DEFAULT);
      switch (RecoveryMachine.decide(snapshot, policy, now)) {
        case Decision.Move(RecoveryStatus next, List<Decision.Note> notes) -> {
          current = writer.move(key, current, next, notes);
          if (!current.open()) {
            return tidyUp(key, current);
          }
        }
        case Decision.Act act -> {
          Optional<BreakerFullException> full = effects.carryOut(key, current, act);
          if (full.isPresent()) {
            breakerFull(key, current, snapshot, String.valueOf(full.get().getMessage()));
            return Optional.of(BREAKER_FULL);
          }
          return effects
              .failures(key, current.name())
              .soonest(clock.instant())
              .filter(soon -> soon.compareTo(act.recheck()) < 0)
              .or(() -> Optional.of(act.recheck()));
        }
        case Decision.Wait(_, Duration recheck) -> {
          return Optional.of(recheck);
        }
      }
    }
    throw new IllegalStateException("recovery " + recovery.name() + " does not settle");
  }

  /** An inspector that cannot be removed ends by itself. */
  private Optional<Duration> tidyUp(JobKey key, RecoveryView over) {
    var _ =
        effects.ask(
            key,
            over.name(),
            Deed.STOP_INSPECTOR,
            () -> {
              inspectors.stop(key, over.name());
              return over;
            });
    inspectors.forget(key);
    withdraw(key, NO_RECOVERY);
    return Optional.of(Duration.ZERO);
  }

  private void breakerFull(
      JobKey key, RecoveryView current, RecoverySnapshot snapshot, String why) {
    if (Fencing.breakerFull(snapshot, why, clock.instant())
        instanceof Decision.Move(RecoveryStatus next, List<Decision.Note> notes)) {
      var _ = writer.move(key, current, next, notes);
    }
  }

  /**
   * Takes back what agents were ordered, but for the given recovery: what is still frozen goes on.
   * An order outlives its recovery where a leader dies between its last two calls.
   *
   * @param open the open recovery, or {@link #NO_RECOVERY}
   */
  private void withdraw(JobKey key, String open) {
    for (OrderView order : state.orders(key)) {
      if (!order.spec().recovery().equals(open)) {
        var _ =
            effects.ask(
                key,
                open,
                Deed.WITHDRAW,
                () -> {
                  gateway.withdraw(key, order.name());
                  return order;
                });
      }
    }
  }

  private static Duration positive(Duration duration) {
    return duration.isNegative() ? Duration.ZERO : duration;
  }
}
