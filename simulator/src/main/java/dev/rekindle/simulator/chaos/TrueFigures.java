package dev.rekindle.simulator.chaos;

import dev.rekindle.api.PinnedCheckpoint;
import dev.rekindle.api.RankReportStatus.Loss;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RecoveryStatus.Cause;
import dev.rekindle.api.RecoveryStatus.Outcome;
import dev.rekindle.api.RecoveryStatus.Plan;
import dev.rekindle.api.TrainingTime;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.simulator.api.Change;
import dev.rekindle.simulator.world.FirstStep;
import dev.rekindle.simulator.world.JobObject;
import dev.rekindle.simulator.world.OrderObject;
import dev.rekindle.simulator.world.PodObject;
import dev.rekindle.simulator.world.RankObject;
import dev.rekindle.simulator.world.RecoveryObject;
import dev.rekindle.simulator.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Invariant 51: the figures of a recovery are true. The first step that it names is the first one
 * of its generation, its downtime is the time from the detection to that step, the last step of its
 * job is not lower than reported steps when the gang was gone, the time of its phases was spent in
 * them, lost GPU time and lost steps follow from these figures, and sums over the recoveries of a
 * job only grow. Bound: {@link #APART} for times, as clocks of processes differ, and {@link #HEARD}
 * for reports. Why: people use them to compute the cost of failures and the interval of
 * checkpoints.
 */
final class TrueFigures extends Check {
  private static final Duration APART = Duration.ofSeconds(5);
  private static final double SECONDS = 1;

  /** Every leader has seen a report that was stored this long ago. */
  private static final Duration HEARD = Duration.ofSeconds(25);

  /** Phases in which a gang may train on. */
  private static final Set<@Nullable RecoveryPhase> STOPPING =
      Set.of(
          RecoveryPhase.DETECTED,
          RecoveryPhase.FENCING,
          RecoveryPhase.DRAINING,
          RecoveryPhase.PLANNING);

  /** A step that was reported, and since when it was. */
  private record Reported(long step, Instant since) {}

  /** By UID of a job, the furthest steps of its present gang that were reported, newest last. */
  private final Map<String, Reported> reached = new HashMap<>();

  private final Map<String, Reported> reachedLately = new HashMap<>();

  /** UIDs of jobs of which a rank has printed a loss of NaN. */
  private final Set<String> notFinite = new HashSet<>();

  /** By UID of a recovery, how long it was in each phase, as far as its writes have shown. */
  private final Map<String, Map<RecoveryPhase, Duration>> spent = new HashMap<>();

  /** By UID of a recovery, when it entered the phase that it is in. */
  private final Map<String, Instant> entered = new HashMap<>();

  /** The process that has sent something last. */
  private String leader = "";

  TrueFigures(World world, Invariants all) {
    super(world, all, Invariant.TRUE_FIGURES);
    world.ranks().watch(this::reported);
  }

  @Override
  public void processDied() {
    // The next one has seen less.
    reached.clear();
    reachedLately.clear();
  }

  @Override
  public void sends(String process) {
    // So has one that leads because the former one stands still (seed 65944).
    if (!process.equals(leader)) {
      leader = process;
      processDied();
    }
  }

  /**
   * Earlier runs of its containers may have reached more steps, and no report has them any more.
   */
  @Override
  public void opened(RecoveryObject recovery) {
    reached.remove(recovery.spec().jobUid());
    reachedLately.remove(recovery.spec().jobUid());
  }

  private void reported(Change<RankObject> change) {
    RankObject after = change.after();
    Long step = after == null ? null : after.view().lastStep();
    Long former = change.before() == null ? null : change.before().view().lastStep();
    if (former != null && (step == null || step < former)) {
      forget(change.object().view().job());
    }
    if (after == null || step == null || !counts(after)) {
      return;
    }
    JobObject job = world.jobs().find(after.view().job().toString()).orElse(null);
    if (job == null || world.agentLies().concern(job.key())) {
      return;
    }
    String uid = job.meta().uid();
    Loss loss = after.view().loss();
    if (loss != null && loss.notFinite() > 0) {
      // Steps with a loss of NaN are no progress, also where one rank alone prints it.
      notFinite.add(uid);
    }
    if (notFinite.contains(uid) || step > world.gang(uid).training().view().step()) {
      // Or printed by a script that has not made it.
      return;
    }
    Reported lately = reachedLately.get(uid);
    if (lately != null && lately.since().plus(HEARD).isBefore(now())) {
      reached.merge(uid, lately, (a, b) -> a.step() > b.step() ? a : b);
      reachedLately.remove(uid);
      lately = null;
    }
    if (lately == null || step > lately.step()) {
      // The older of two that no watch may have shown yet is dropped: the check requires less.
      reachedLately.put(uid, new Reported(step, now()));
    }
  }

  /**
   * A report was deleted, or a later run of a container reports now. A leader may never have seen
   * the earlier report (seed 10753).
   */
  private void forget(JobKey key) {
    JobObject job = world.jobs().find(key.toString()).orElse(null);
    Reported lately = job == null ? null : reachedLately.get(job.meta().uid());
    if (job != null && lately != null && !lately.since().plus(HEARD).isBefore(now())) {
      reachedLately.remove(job.meta().uid());
    }
  }

  @Override
  public void saved(RecoveryObject before, @Nullable RecoveryStatus after) {
    RecoveryStatus was = before.status();
    if (after == null || after.phase() == null || isOver(was)) {
      return;
    }
    if (was == null && after.phaseSince() != null) {
      entered.put(before.meta().uid(), Objects.requireNonNull(after.phaseSince()));
    } else if (was != null) {
      passes(before.meta().uid(), was, after);
    }
    JobObject job = jobOf(before).orElse(null);
    if (clocksWereWrong() || job == null || was == null || after.comeBacks() != null) {
      return;
    }
    String wrong =
        after.phase() == RecoveryPhase.RECOVERED
            ? outcome(before, job, after)
            : reached(job, after);
    if (!wrong.isEmpty()) {
      broken(job.key(), "recovery %s: %s".formatted(before.meta().key(), wrong));
    }
    if (after.phase() == RecoveryPhase.VERIFYING) {
      // What comes now is of the new gang.
      reached.remove(job.meta().uid());
      reachedLately.remove(job.meta().uid());
    }
  }

  private void passes(String uid, RecoveryStatus was, RecoveryStatus after) {
    // A message is updated during its phase: it counts from the start of the phase.
    Instant from = entered.getOrDefault(uid, was.phaseSince());
    Instant to = after.phaseSince();
    if (from != null && to != null && was.phase() != after.phase()) {
      entered.put(uid, to);
      spent
          .computeIfAbsent(uid, _ -> new EnumMap<>(RecoveryPhase.class))
          .merge(Objects.requireNonNull(was.phase()), Duration.between(from, to), Duration::plus);
    }
  }

  /**
   * The steps of a gang can be read until it is gone, and each write records them: the process may
   * end before the next write.
   */
  private String reached(JobObject job, RecoveryStatus after) {
    Cause cause = after.cause();
    if (!STOPPING.contains(after.phase() == RecoveryPhase.HELD ? after.heldFrom() : after.phase())
        || cause == null
        || after.attempt() > 1) {
      return "";
    }
    Reported known = reached.get(job.meta().uid());
    Instant since = after.phaseSince();
    if (known == null || since == null || known.since().plus(HEARD).isAfter(since)) {
      return "";
    }
    Long says = cause.lastStep();
    return says == null || says < known.step()
        ? "its job had reached step %d at %s, and it says step %s"
            .formatted(known.step(), known.since(), says)
        : "";
  }

  private String outcome(RecoveryObject before, JobObject job, RecoveryStatus after) {
    Outcome outcome = after.outcome();
    Plan plan = after.plan();
    Instant detected = before.spec().detectedAt();
    if (outcome == null || plan == null || detected == null) {
      return "Recovered without an outcome";
    }
    String first = first(before, job, outcome, detected, after);
    if (!first.isEmpty()) {
      return first;
    }
    PinnedCheckpoint pin = plan.checkpoint();
    if (pin != null && !Objects.equals(pin.step(), outcome.resumedStep())) {
      return "it says that it resumed step %s of %s".formatted(outcome.resumedStep(), pin);
    }
    Cause cause = after.cause();
    Long last = cause == null ? null : cause.lastStep();
    Long lost =
        last == null || outcome.firstStepAfter() == null
            ? null
            : Long.valueOf(Math.max(0, last - outcome.firstStepAfter() + 1));
    if (!Objects.equals(lost, outcome.lostSteps())) {
      return "steps %s were lost between %s and %s, and it says %s"
          .formatted(lost, outcome.firstStepAfter(), last, outcome.lostSteps());
    }
    String cost = cost(job, plan, outcome);
    return cost.isEmpty() ? times(before, after, outcome, detected) : cost;
  }

  /** The first step, and when it was made. */
  private String first(
      RecoveryObject before,
      JobObject job,
      Outcome outcome,
      Instant detected,
      RecoveryStatus after) {
    Long says = outcome.firstStepAfter();
    Double down = outcome.downtimeSeconds();
    if (says == null || down == null) {
      return "";
    }
    String attempt = before.meta().name() + "-" + after.attempt();
    String generation = inPlace(after) ? OrderObject.generation(attempt) : attempt;
    List<FirstStep> truth = world.gang(job.meta().uid()).training().firstSteps(generation);
    Instant ends = detected.plusMillis((long) (down * 1_000));
    for (FirstStep step : truth) {
      boolean then =
          Duration.between(step.at(), ends).abs().compareTo(APART) <= 0
              || (down == 0 && step.at().isBefore(detected.plus(APART)));
      if (step.step() == says && (then || !isReported(job, step))) {
        return "";
      }
    }
    return truth.isEmpty()
        ? ""
        : "its first step is said to be %d at %s; those of %s were %s"
            .formatted(says, ends, generation, truth);
  }

  /** Whether a report has that step when it was made: some ranks print late (seed 92301406). */
  private boolean isReported(JobObject job, FirstStep step) {
    for (RankObject rank : world.ranks().all()) {
      Instant first = rank.view().firstStepTime();
      if (rank.view().job().equals(job.key())
          && counts(rank)
          && first != null
          && Duration.between(step.at(), first).abs().compareTo(APART) <= 0) {
        return true;
      }
    }
    return false;
  }

  private String cost(JobObject job, Plan plan, Outcome outcome) {
    Double down = outcome.downtimeSeconds();
    Double cost = outcome.lostGpuSeconds();
    Integer size = plan.gangSize();
    List<PodObject> gang = world.podsOf(job.key());
    if (down == null || cost == null || size == null || size != gang.size()) {
      return "";
    }
    // Its template may have been edited since (seed 91002548).
    double gpus = gang.stream().mapToInt(PodObject::gpus).sum();
    return Math.abs(cost - down * gpus) > SECONDS + 0.01 * cost
        ? "%.1f s of %.0f GPUs were lost, and it says %.1f GPU seconds".formatted(down, gpus, cost)
        : "";
  }

  private String times(
      RecoveryObject before, RecoveryStatus after, Outcome outcome, Instant detected) {
    Map<RecoveryPhase, Duration> truth = spent.getOrDefault(before.meta().uid(), Map.of());
    // A shortened timeline has lost the times of the removed entries.
    if (after.timeline().size() < 60) {
      for (Map.Entry<RecoveryPhase, Duration> phase : truth.entrySet()) {
        double is = phase.getValue().toMillis() / 1_000.0;
        double says = outcome.secondsPerPhase().getOrDefault(phase.getKey().word(), 0.0);
        if (Math.abs(is - says) > SECONDS) {
          return "it was in %s for %.1f s, and says %.1f s"
              .formatted(phase.getKey().word(), is, says);
        }
      }
    }
    TrainingTime time = outcome.time();
    Double down = outcome.downtimeSeconds();
    if (time == null || down == null) {
      return "the time of its job is not said";
    }
    Instant trains = detected.plusMillis((long) (down * 1_000));
    boolean apart = Duration.between(trains, time.until()).abs().compareTo(APART) > 0;
    return apart && down > 0 && time.until().isAfter(time.since())
        ? "the time of its job is said up to %s, and it trains since %s"
            .formatted(time.until(), trains)
        : fallen(before, time);
  }

  /** The sums of a job only grow, and each recovery that repairs a failure counts one more. */
  private String fallen(RecoveryObject recovery, TrainingTime time) {
    for (RecoveryObject other : world.recoveries().all()) {
      RecoveryStatus status = other.status();
      TrainingTime former =
          status == null || status.outcome() == null ? null : status.outcome().time();
      if (status != null
          && former != null
          && status.phase() == RecoveryPhase.RECOVERED
          && other.spec().jobUid().equals(recovery.spec().jobUid())
          && other.meta().created().isBefore(recovery.meta().created())
          && (time.failures() <= former.failures()
              || !time.since().equals(former.since())
              || hasFallen(former, time))) {
        return "after %s of %s it says of the time of its job %s"
            .formatted(former, other.meta().name(), time);
      }
    }
    return "";
  }

  private static boolean hasFallen(TrainingTime from, TrainingTime to) {
    double little = 0.01;
    return to.infrastructureRecoverySeconds() < from.infrastructureRecoverySeconds() - little
        || to.programStartupSeconds() < from.programStartupSeconds() - little
        || to.wastedProgressSeconds() < from.wastedProgressSeconds() - little
        || to.checkpointSaveSeconds() < from.checkpointSaveSeconds() - little;
  }
}
