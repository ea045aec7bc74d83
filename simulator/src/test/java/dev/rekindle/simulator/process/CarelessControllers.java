package dev.rekindle.simulator.process;

import dev.rekindle.api.RankReportStatus.Pace;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.RankView;
import dev.rekindle.controller.model.Reason;
import dev.rekindle.controller.model.RecoveryView;
import dev.rekindle.controller.model.ResumeOrder;
import dev.rekindle.controller.port.ClusterGateway;
import dev.rekindle.controller.port.ClusterState;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Controllers that are broken on purpose: careless of what is so by now, or of what they say. */
public final class CarelessControllers {
  private static final Duration LONG = Duration.ofMinutes(10);
  private static final Duration LATE = Duration.ofSeconds(100);

  private static final Set<RecoveryPhase> NOT_BEGUN =
      EnumSet.of(RecoveryPhase.DETECTED, RecoveryPhase.FENCING, RecoveryPhase.DRAINING);

  private CarelessControllers() {}

  /** 40: stops a gang so late that it may have come back by itself. */
  public static Reconcilers.Factory stoppingLate() {
    return (state, gateway, clock, effects) -> {
      Reconcilers real = Reconcilers.REAL.make(state, gateway, clock, effects);
      return new Reconcilers(
          key ->
              state.recoveries(key).stream().anyMatch(r -> isYoung(r, clock.instant()))
                  ? Optional.of(Duration.ofSeconds(1))
                  : real.jobs().reconcile(key),
          real.nodes());
    };
  }

  private static boolean isYoung(RecoveryView recovery, Instant now) {
    RecoveryStatus status = recovery.status();
    Instant opened = recovery.spec().detectedAt();
    return status != null
        && NOT_BEGUN.contains(status.phase())
        && opened != null
        && now.isBefore(opened.plus(LATE));
  }

  /** 41: knows no quota of fences. */
  public static Reconcilers.Factory withoutQuotas() {
    return Distorted.seeingPolicies(p -> p.with(b -> b.maxFencedPerNamespace(1_000)));
  }

  /** 42: takes no order back while the recovery that gave it is held. */
  public static Reconcilers.Factory keepingOrdersWhileHeld() {
    return Distortion.controller(
        (state, gateway) ->
            new Distortion(state, gateway) {
              @Override
              public void withdraw(JobKey job, String name) {
                if (state.recoveries(job).stream().noneMatch(CarelessControllers::isHeld)) {
                  super.withdraw(job, name);
                }
              }
            });
  }

  private static boolean isHeld(RecoveryView recovery) {
    return recovery.status() != null && recovery.status().phase() == RecoveryPhase.HELD;
  }

  /** 43: says nothing of what it may not write on nodes. */
  public static Reconcilers.Factory silentAboutNodes() {
    return Distorted.silentAbout(Reason.NODE_WRITE_REFUSED);
  }

  /** 44: takes every gang for one that has stood still for long. */
  public static Reconcilers.Factory fearingStalls() {
    return Distorted.seeingRanks(CarelessControllers::older);
  }

  private static RankView older(RankView rank) {
    Instant step = rank.lastStepTime();
    Pace pace = rank.pace();
    Pace stood = pace == null ? null : stood(pace);
    return step == null ? rank : rank.with(b -> b.lastStepTime(step.minus(LONG)).pace(stood));
  }

  private static Pace stood(Pace p) {
    return new Pace(
        p.intervals(),
        p.ofThisRun(),
        p.p99Millis(),
        p.longestMillis(),
        p.trainedSeconds(),
        LONG.toSeconds(),
        p.pausing());
  }

  /** 45: keeps only the newest entry of a history. */
  public static Reconcilers.Factory shorteningTheTimeline() {
    return Distorted.saving(s -> s.withTimeline(List.of(s.timeline().getLast())));
  }

  /** 46: reconciles a job once in ten minutes. */
  public static Reconcilers.Factory lookingSeldom() {
    return (state, gateway, clock, effects) -> {
      Reconcilers real = Reconcilers.REAL.make(state, gateway, clock, effects);
      Map<JobKey, Instant> reconciled = new HashMap<>();
      return new Reconcilers(
          key -> {
            Instant now = clock.instant();
            Instant due = reconciled.getOrDefault(key, Instant.MIN);
            if (now.isBefore(due)) {
              return Optional.of(Duration.between(now, due));
            }
            reconciled.put(key, now.plus(LONG));
            return real.jobs().reconcile(key);
          },
          real.nodes());
    };
  }

  /** 48: keeps each gang off some node that has done nothing. */
  public static Reconcilers.Factory keepingOffHealthyNodes() {
    return Distortion.controller(
        (state, gateway) ->
            new Distortion(state, gateway) {
              @Override
              public void resume(JobKey job, String uid, ResumeOrder order) {
                super.resume(job, uid, withOneMore(state, order));
              }
            });
  }

  private static ResumeOrder withOneMore(ClusterState state, ResumeOrder order) {
    List<String> excluded = new ArrayList<>(order.excludedHostnames());
    state.nodes().stream().map(NodeView::name).sorted().findFirst().ifPresent(excluded::add);
    return new ResumeOrder(
        order.recovery(),
        order.attempt(),
        excluded,
        order.avoidedHostnames(),
        order.preferredTopology(),
        List.of(),
        order.resumeFrom(),
        order.resumeStep(),
        order.resumeFormat(),
        order.reason());
  }

  /** 49: keeps of a job that it brings back no record of how often it did so before. */
  public static Reconcilers.Factory tidyingTooMuch() {
    return Distortion.controller(
        (state, gateway) ->
            new Distortion(state, gateway) {
              @Override
              public RecoveryView open(RecoveryView draft) {
                removeEnded(state, gateway, draft.job());
                return super.open(draft);
              }
            });
  }

  private static void removeEnded(ClusterState state, ClusterGateway gateway, JobKey job) {
    state.recoveries(job).stream().filter(r -> !r.open()).findFirst().ifPresent(gateway::remove);
  }
}
