package dev.rekindle.simulator.chaos;

import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RestartWay;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.JobView.Mode;
import dev.rekindle.controller.model.JobView.OptIn;
import dev.rekindle.controller.recovery.HoldReason;
import dev.rekindle.simulator.process.WriteObserver;
import dev.rekindle.simulator.world.JobObject;
import dev.rekindle.simulator.world.OrderObject;
import dev.rekindle.simulator.world.PodObject;
import dev.rekindle.simulator.world.RankObject;
import dev.rekindle.simulator.world.RecoveryObject;
import dev.rekindle.simulator.world.TruthObserver;
import dev.rekindle.simulator.world.World;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Watches a run for one thing that must hold, or a few of one subject, at the truth. */
abstract class Check implements WriteObserver, TruthObserver {
  /**
   * A write that was decided before something became known may take effect so much later: the
   * longest way of a late call, and the time in which a watch was broken.
   */
  static final Duration UNDER_WAY = Duration.ofSeconds(60);

  final World world;
  private final Invariants all;
  private final Invariant invariant;
  private boolean clocksAreWrong;
  private boolean clocksWereWrong;

  Check(World world, Invariants all, Invariant invariant) {
    this.world = world;
    this.all = all;
    this.invariant = invariant;
  }

  /** Looks at what is true now; in the calm, every few seconds. */
  void look() {}

  /**
   * Whether it has seen something that must not last: a run that ends before its bound hides it.
   */
  boolean isWaiting() {
    return false;
  }

  @Override
  public void clocksAreWrong(boolean wrong) {
    clocksAreWrong = wrong;
    clocksWereWrong |= wrong;
  }

  /** Whether the clock of a process of the controller is wrong now. */
  final boolean clocksAreWrong() {
    return clocksAreWrong;
  }

  /** Whether it is, or was at any time of this run: what it wrote down then stays wrong. */
  final boolean clocksWereWrong() {
    return clocksWereWrong;
  }

  final Instant now() {
    return all.now();
  }

  /** All that a status says. */
  final String textOf(RecoveryStatus status) {
    return all.textOf(status);
  }

  final boolean longAgo(@Nullable Instant then) {
    return longBefore(then, now());
  }

  /** Whether that was so long before then that everybody has heard. */
  static boolean longBefore(@Nullable Instant then, Instant now) {
    return then != null && then.plus(UNDER_WAY).isBefore(now);
  }

  /** Whether any invariant of this run is broken. */
  final boolean isBroken() {
    return all.violation().isPresent();
  }

  final void broken(String detail) {
    all.broken(invariant, detail);
  }

  /**
   * The same of a job, unless a stolen agent has lied about a pod of it: what holds even then is of
   * {@link LiesStayHome}.
   */
  final void broken(JobKey about, String detail) {
    broken(about, invariant, detail);
  }

  final void broken(JobKey about, Invariant other, String detail) {
    if (!world.agentLies().concern(about)) {
      all.broken(other, detail);
    }
  }

  /** For one that is not this check's main one. */
  final void broken(Invariant other, String detail) {
    all.broken(other, detail);
  }

  /** The job that the recovery is for, where it is still that one. */
  final Optional<JobObject> jobOf(RecoveryObject recovery) {
    return world
        .jobs()
        .find(recovery.view().job().toString())
        .filter(job -> job.meta().uid().equals(recovery.spec().jobUid()));
  }

  /** The job that the order is for, where it is still that one. */
  final Optional<JobObject> jobOf(OrderObject order) {
    return world
        .jobs()
        .find(order.job().toString())
        .filter(job -> job.meta().uid().equals(order.spec().jobUid()));
  }

  /** The job that the pod is of, where it is still that one. */
  final Optional<JobObject> jobOf(PodObject pod) {
    return world
        .jobs()
        .find(pod.job().toString())
        .filter(job -> job.meta().uid().equals(pod.meta().owner()));
  }

  /**
   * Whether no pod that is there is of the gang that the order names, as agents leave a later one
   * alone. The order of a controller that stood still meanwhile comes at any time.
   */
  final boolean isForNoPod(OrderObject order, JobObject job) {
    Instant youngest = order.spec().youngest();
    return youngest != null
        && world.podsOf(job).stream()
            .allMatch(
                pod -> pod.meta().created().truncatedTo(ChronoUnit.SECONDS).isAfter(youngest));
  }

  /** Whether the report is of the agent whose node the pod is on: no other counts. */
  final boolean counts(RankObject report) {
    return world
        .pods()
        .find(report.view().job().namespace() + "/" + report.view().pod())
        .filter(pod -> pod.meta().uid().equals(report.view().podUid()))
        .map(pod -> pod.node().equals(report.view().node()))
        .orElse(report.meta().name().equals(report.view().pod()));
  }

  /** The newest order for the job that stands. */
  final Optional<OrderObject> orderOf(JobObject job) {
    OrderObject newest = null;
    for (OrderObject order : world.orders().all()) {
      if (order.spec().jobUid().equals(job.meta().uid())) {
        newest = order;
      }
    }
    return Optional.ofNullable(newest);
  }

  /** Recoveries of the job that have not ended. */
  final List<RecoveryObject> open(JobObject job) {
    List<RecoveryObject> open = new ArrayList<>();
    for (RecoveryObject recovery : world.recoveries().all()) {
      if (recovery.spec().jobUid().equals(job.meta().uid()) && recovery.open()) {
        open.add(recovery);
      }
    }
    return open;
  }

  /** Whether that is a restart in place. */
  static boolean inPlace(@Nullable RecoveryStatus status) {
    return status != null
        && status.plan() != null
        && status.plan().restart() == RestartWay.IN_PLACE;
  }

  /** Whether the recovery is held for that reason. */
  static boolean isHeld(@Nullable RecoveryStatus status, HoldReason reason) {
    return status != null && HoldReason.of(status).filter(reason::equals).isPresent();
  }

  /** Whether the recovery has ended already. */
  static boolean isOver(@Nullable RecoveryStatus status) {
    return status != null && status.phase() != null && status.phase().isTerminal();
  }

  /** The mode that the job allows; empty if it must not be touched. */
  final Optional<Mode> mode(JobObject job) {
    return job.optIn() instanceof OptIn.Yes(Mode mode)
            && job.notOurs().isEmpty()
            && world.policies().find(job.policy()).isPresent()
        ? Optional.of(mode)
        : Optional.empty();
  }
}
