package dev.rekindle.controller.recovery;

import dev.rekindle.api.RecoveryStatus.Cause;
import dev.rekindle.controller.diagnosis.JobSnapshot;
import dev.rekindle.controller.diagnosis.JobVerdicts;
import dev.rekindle.controller.diagnosis.UnseenSteps;
import dev.rekindle.controller.diagnosis.Verdict;
import dev.rekindle.controller.model.HistoryLimits;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.RankView;
import dev.rekindle.controller.model.Reason;
import dev.rekindle.controller.model.RecoveryView;
import dev.rekindle.controller.policy.RuledJob;
import dev.rekindle.controller.port.ClusterGateway;
import dev.rekindle.controller.port.ClusterGateway.CallException;
import dev.rekindle.controller.port.ClusterGateway.StaleException;
import dev.rekindle.controller.port.ClusterState;
import dev.rekindle.controller.runtime.ParallelExecutor;
import dev.rekindle.controller.runtime.Reconciler;
import dev.rekindle.controller.shadow.ShadowRecorder;
import dev.rekindle.controller.spares.SpareKeeper;
import dev.rekindle.controller.telemetry.Metrics;
import dev.rekindle.detect.SteadyClock;
import dev.rekindle.logging.LogKey;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reconciles one job: advances its open recovery ({@link RecoverySteps}), or asks {@link
 * JobVerdicts} whether it needs one ({@link RecoveryOpener}). Observes through {@link
 * ClusterState}, acts through {@link ClusterGateway}. What it remembers in memory only saves work;
 * everything that matters is in the Recovery object.
 */
public final class JobReconciler implements Reconciler<JobKey> {
  private static final Logger LOG = LoggerFactory.getLogger(JobReconciler.class);

  private static final Duration REST_FOR_100_PODS = Duration.ofMillis(1);

  /**
   * The owner of a job may give it any size. The queue of others may be held for its recovery
   * meanwhile, so it is never left alone for long.
   */
  private static final int MOST_PODS_TO_REST_FOR = 100_000;

  private final ClusterState state;
  private final InstantSource clock;
  private final JobFacts facts;
  private final Effects effects;
  private final OrderWithdrawal orders;
  private final PlannedNodes planned;
  private final QueueCleanup queues;
  private final RecoverySteps steps;
  private final RecoveryOpener opener;
  private final ShadowRecorder scores;
  private final Records records;
  private final JobEvents events;
  private final RecoveryWriter writer;
  private final JobEconomy economy;
  private final SpareKeeper spares;

  /**
   * Takes all that it works with.
   *
   * @param state what it reads from
   * @param gateway what it writes through
   * @param clock time of the wall, which may step
   * @param together carries out effects that go out together
   * @param steady time that never steps
   * @param history limits for what is kept of jobs that are gone
   */
  public JobReconciler(
      ClusterState state,
      ClusterGateway gateway,
      Metrics metrics,
      InstantSource clock,
      ParallelExecutor together,
      SteadyClock steady,
      HistoryLimits history) {
    this.state = state;
    this.clock = clock;
    this.facts = new JobFacts(state, clock);
    InspectorSession inspectors = new InspectorSession(gateway);
    this.effects = new Effects(gateway, metrics, clock, together, inspectors);
    this.orders = new OrderWithdrawal(state, gateway, effects);
    this.planned = new PlannedNodes(state, gateway, effects);
    this.queues = new QueueCleanup(state, gateway, effects);
    this.events = new JobEvents(gateway, metrics, clock);
    this.writer = new RecoveryWriter(state, gateway, metrics, clock, effects, inspectors, events);
    this.steps =
        new RecoverySteps(
            facts,
            new RecoveryObserver(
                state, gateway, facts, effects, inspectors, metrics, clock, steady),
            new PhaseTimes(steady),
            effects,
            inspectors,
            orders,
            writer,
            clock);
    this.opener = new RecoveryOpener(state, gateway, metrics, clock, facts, writer, steps);
    this.economy = new JobEconomy(metrics.jobs(), events);
    this.scores = new ShadowRecorder(state, gateway, metrics);
    this.records = new Records(state, gateway, metrics, history);
    this.spares = new SpareKeeper(state, gateway, metrics, clock);
  }

  /**
   * A reconcile of a big gang goes through all its pods, each of which changes some times while the
   * gang comes up: without a rest, one gang of 8,192 pods took a third of a core by that.
   */
  @Override
  public Duration minInterval(JobKey key) {
    return state
        .job(key)
        .map(job -> Math.min(job.gangSize(), MOST_PODS_TO_REST_FOR))
        .map(pods -> REST_FOR_100_PODS.multipliedBy(pods / 100))
        .orElse(Duration.ZERO);
  }

  @Override
  public Optional<Duration> reconcile(JobKey key) {
    Optional<Duration> next;
    try {
      next = look(key);
    } catch (CallException | StaleException failed) {
      // Neither rests on the recovery, whose status may be refused for good.
      var _ = notesAndSpares(key);
      throw failed;
    }
    return sooner(next, notesAndSpares(key));
  }

  private Optional<Duration> notesAndSpares(JobKey key) {
    return sooner(writer.retryNodeNotes(key), spares.look(key));
  }

  private Optional<Duration> look(JobKey key) {
    writer.makeUnansweredKnown(key);
    writer.makeTakenOverKnown(key);
    state
        .job(key)
        .ifPresentOrElse(
            job -> economy.look(job, () -> facts.snapshot(job), clock.instant()),
            () -> economy.forget(key));
    Optional<RecoveryView> open =
        state.recoveries(key).stream()
            .filter(RecoveryView::open)
            .min(Comparator.comparing(RecoveryView::name));
    if (open.isPresent() && open.get().status() == null) {
      return opener.begin(key, open.get());
    }
    if (open.isPresent()) {
      return RecoveryMachine.answeredBy(open.get(), state.recoveries(key))
          .map(other -> steps.cancelAnswered(key, open.get(), other))
          .orElseGet(() -> steps.advance(key, open.get()));
    }
    steps.forget(key);
    orders.withdrawAllBut(key, Effects.NO_RECOVERY);
    planned.takeBack(key);
    queues.takeBack(key);
    Optional<JobView> job = state.job(key);
    job.filter(j -> j.optIn() instanceof JobView.OptIn.Yes && !j.copiedAnnotations().isEmpty())
        .ifPresent(events::copiedAnnotations);
    boolean followed = follow(key, job);
    Optional<Duration> again = job.map(j -> judge(key, j)).orElseGet(() -> forget(key));
    Optional<Duration> next = sooner(again, records.collectFormer(key, clock.instant()));
    // What the API server has not carried out is retried, whatever else happens.
    return sooner(
        followed && next.isEmpty() ? Optional.of(ShadowRecorder.AGAIN) : next,
        effects.failures(key, Effects.NO_RECOVERY).soonest(clock.instant()));
  }

  private static Optional<Duration> sooner(Optional<Duration> one, Optional<Duration> other) {
    return Stream.concat(one.stream(), other.stream()).min(Comparator.naturalOrder());
  }

  private boolean follow(JobKey key, Optional<JobView> job) {
    List<RankView> ranks = job.map(j -> facts.ranksOf(j, facts.podsOf(j))).orElse(List.of());
    return scored(key, () -> scores.followJob(key, job, ranks, clock.instant()));
  }

  /** A scorecard that cannot be written is no reason not to reconcile the job. */
  private static boolean scored(JobKey key, BooleanSupplier write) {
    try {
      return write.getAsBoolean();
    } catch (CallException | StaleException failed) {
      LOG.atWarn()
          .addKeyValue(LogKey.JOB.key(), key)
          .addKeyValue(LogKey.ERROR.key(), failed.getMessage())
          .log("Cannot write the scorecard of a policy");
      return true;
    }
  }

  private Optional<Duration> forget(JobKey key) {
    events.forget(key);
    writer.forget(key);
    // What is still to be taken back, and was refused, is retried.
    if (state.orders(key).isEmpty() && !queues.isHeldFor(key)) {
      effects.forget(key);
    }
    return Optional.empty();
  }

  private Optional<Duration> judge(JobKey key, JobView job) {
    RuledJob ruled = RuledJob.of(state, job);
    Instant now = clock.instant();
    records.collect(job, facts.recoveriesOf(job), ruled.policy(), now);
    JobSnapshot snapshot = facts.snapshot(ruled.job());
    UnseenSteps.of(snapshot).ifPresent(said -> events.stepsNotSeen(key, job.uid(), said));
    return switch (JobVerdicts.decide(snapshot, ruled.policy(), now)) {
      case Verdict.NoAction _ -> Optional.empty();
      case Verdict.Watch(_, Instant until) -> Optional.of(positive(Duration.between(now, until)));
      case Verdict.Refuse(Reason reason, String message) ->
          refuse(key, job, reason, ruled.noted(reason, message), now);
      case Verdict.SelfRecovered back -> {
        events.acted(key);
        records
            .write(job, facts.podsOf(job), state.recoveries(key), back, now)
            .ifPresent(stored -> writer.madeKnown(key, stored));
        yield Optional.of(Duration.ZERO);
      }
      case Verdict.Recover(Cause cause, _) -> opener.open(key, job, cause, now);
    };
  }

  private Optional<Duration> refuse(
      JobKey key, JobView job, Reason reason, String message, Instant now) {
    events.refused(key, job.uid(), reason, message);
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

  private static Duration positive(Duration duration) {
    return duration.isNegative() ? Duration.ZERO : duration;
  }
}
