package dev.rekindle.simulator.process;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RecoveryStatus.Outcome;
import dev.rekindle.api.ResumeResult;
import dev.rekindle.api.TrainingTime;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.RecoveryView;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Controllers that are broken on purpose: what they say of a recovery is not so, or what they have
 * found is written nowhere.
 */
public final class UntrueControllers {
  private static final double MINUTE = 60;

  private UntrueControllers() {}

  /** 51: adds a minute to the downtime of each job. */
  public static Reconcilers.Factory exaggeratingTheDowntime() {
    return Distorted.savingOutcomes(UntrueControllers::withAMinuteMore);
  }

  private static Outcome withAMinuteMore(Outcome o) {
    Double down = o.downtimeSeconds();
    return new Outcome(
        o.resumedStep(),
        o.firstStepAfter(),
        o.lostSteps(),
        o.lostGpuSeconds(),
        down == null ? null : Double.valueOf(down + MINUTE),
        o.secondsPerPhase(),
        o.resume(),
        o.lost(),
        o.advice(),
        o.saving(),
        o.time());
  }

  /** 51: counts the failures of a job again with each recovery. */
  public static Reconcilers.Factory countingFailuresAnew() {
    return Distorted.savingOutcomes(
        o -> o.time() == null ? o : with(o, o.resume(), first(o.time())));
  }

  private static TrainingTime first(TrainingTime t) {
    return new TrainingTime(
        t.since(),
        t.until(),
        1,
        t.infrastructureRecoverySeconds(),
        t.programStartupSeconds(),
        t.wastedProgressSeconds(),
        t.checkpointSaveSeconds());
  }

  /** 56: says of each gang that it continued far ahead of its checkpoint. */
  public static Reconcilers.Factory takingEachResumeForOneAhead() {
    return Distorted.savingOutcomes(
        o -> o.resume() != ResumeResult.PROVEN ? o : with(o, ResumeResult.AHEAD, o.time()));
  }

  private static Outcome with(
      Outcome o, @Nullable ResumeResult resume, @Nullable TrainingTime time) {
    return new Outcome(
        o.resumedStep(),
        o.firstStepAfter(),
        o.lostSteps(),
        o.lostGpuSeconds(),
        o.downtimeSeconds(),
        o.secondsPerPhase(),
        resume,
        o.lost(),
        o.advice(),
        o.saving(),
        time);
  }

  /** 52: gives a gang one attempt, whatever the policy allows. */
  public static Reconcilers.Factory givingUpEarly() {
    return Distorted.seeingPolicies(p -> p.withMaxAttempts(1));
  }

  /** 53: takes a job that somebody has resumed for one that it has resumed itself. */
  public static Reconcilers.Factory takingEachResumptionForItsOwn() {
    return Distortion.controller(
        (state, gateway) ->
            new Distortion(state, gateway) {
              @Override
              public Optional<JobView> job(JobKey key) {
                return super.job(key).map(job -> withAttempt(job, state.recoveries(key)));
              }
            });
  }

  private static JobView withAttempt(JobView job, List<RecoveryView> recoveries) {
    return recoveries.stream()
        .filter(r -> !job.suspended() && isResuming(r.status()))
        .findFirst()
        .map(r -> job.withAttempt(r.name() + "-" + Objects.requireNonNull(r.status()).attempt()))
        .orElse(job);
  }

  private static boolean isResuming(@Nullable RecoveryStatus status) {
    return status != null && status.phase() == RecoveryPhase.RESUMING;
  }

  /** 54: never writes on a node that it fell silent. */
  public static Reconcilers.Factory forgettingSilentNodes() {
    return Distortion.controller(
        (state, gateway) ->
            new Distortion(state, gateway) {
              @Override
              public void recordIncident(String node, String by, Instant at) {}
            });
  }
}
