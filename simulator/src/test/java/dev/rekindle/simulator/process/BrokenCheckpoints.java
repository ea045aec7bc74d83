package dev.rekindle.simulator.process;

import dev.rekindle.api.PinnedCheckpoint;
import dev.rekindle.api.RankReportStatus.Loss;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.ResumeAttempt;
import dev.rekindle.api.ResumeResult;
import dev.rekindle.controller.model.BoundVolume;
import dev.rekindle.controller.model.Inspection;
import dev.rekindle.controller.model.Inspection.Checkpoint;
import dev.rekindle.controller.model.JobKey;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;

/** Controllers that are broken on purpose: they misread what several nodes have of a checkpoint. */
public final class BrokenCheckpoints {
  private static final String PARTS = "nvrx-local";

  private BrokenCheckpoints() {}

  /** 55: takes a checkpoint that some node has complete for one that all have. */
  public static Reconcilers.Factory takingOneCopyForAll() {
    return reading(
        report ->
            new Inspection.Report(
                report.scan(),
                report.checkpoints().stream().map(BrokenCheckpoints::whole).toList(),
                report.error(),
                report.nodes()));
  }

  /** 65: requests one inspector for each recovery, and for no other when that is gone. */
  public static Reconcilers.Factory askingForOneInspector() {
    return Distortion.controller(
        (state, gateway) ->
            new Distortion(state, gateway) {
              private final Set<String> started = new HashSet<>();

              @Override
              public Optional<Inspection.Unable> startInspector(
                  JobKey job, String uid, String recovery) {
                if (started.contains(job + recovery)) {
                  return Optional.empty();
                }
                Optional<Inspection.Unable> unable = super.startInspector(job, uid, recovery);
                if (unable.isEmpty()) {
                  started.add(job + recovery);
                }
                return unable;
              }
            });
  }

  /** 80: takes a volume that no node reaches for one that cannot be judged, and for any node's. */
  public static Reconcilers.Factory beginningWithoutVolumes() {
    return Distortion.controller(
        (state, gateway) ->
            new Distortion(state, gateway) {
              @Override
              public Optional<BoundVolume> volume(JobKey job, String claim) {
                return Optional.empty();
              }

              @Override
              public Optional<Inspection.Unable> startInspector(
                  JobKey job, String uid, String recovery) {
                return super.startInspector(job, uid, recovery)
                    .map(unable -> new Inspection.Unable(unable.reason()));
              }

              @Override
              public Inspection inspect(JobKey job, String recovery) {
                Inspection said = super.inspect(job, recovery);
                return said instanceof Inspection.Unable unable
                    ? new Inspection.Unable(unable.reason())
                    : said;
              }
            });
  }

  /** 21: once a volume was out of reach, takes it for that as long as it lives. */
  public static Reconcilers.Factory rememberingThatVolumesWereAway() {
    return Distortion.controller(
        (state, gateway) ->
            new Distortion(state, gateway) {
              private final Map<String, Inspection.Unable> away = new HashMap<>();

              @Override
              public Optional<Inspection.Unable> startInspector(
                  JobKey job, String uid, String recovery) {
                String key = job + recovery;
                if (!away.containsKey(key)) {
                  super.startInspector(job, uid, recovery)
                      .ifPresent(unable -> away.put(key, unable));
                }
                return Optional.ofNullable(away.get(key));
              }
            });
  }

  /** 55: takes the parts of some ranks for those of all. */
  public static Reconcilers.Factory takingSomePartsForAll() {
    return readingEach(c -> c.format().equals(PARTS) ? whole(c) : c);
  }

  /** 81: does not see that nodes have all parts together. */
  public static Reconcilers.Factory addingUpNoParts() {
    return readingEach(
        c ->
            c.format().equals(PARTS) && c.verdict().equals("Valid")
                ? judged(c, "Unknown", "no whole part of rank 0 on any inspected node")
                : c);
  }

  private static Reconcilers.Factory readingEach(UnaryOperator<Checkpoint> bent) {
    return reading(
        report ->
            new Inspection.Report(
                report.scan(),
                report.checkpoints().stream().map(bent).toList(),
                report.error(),
                report.nodes(),
                report.away(),
                report.newest()));
  }

  private static Checkpoint whole(Checkpoint c) {
    return c.verdict().equals("Unknown") ? judged(c, "Valid", "") : c;
  }

  private static Checkpoint judged(Checkpoint c, String verdict, String reason) {
    return new Checkpoint(
        c.path(),
        c.step(),
        c.bytes(),
        c.modified(),
        verdict,
        c.level(),
        reason,
        c.format(),
        c.ranks());
  }

  /** 55: takes the disks of nodes for one that they share. */
  public static Reconcilers.Factory takingDisksForShared() {
    return reading(
        report ->
            new Inspection.Report(report.scan(), report.checkpoints(), report.error(), List.of()));
  }

  private static Reconcilers.Factory reading(UnaryOperator<Inspection.Report> bent) {
    return Distortion.controller(
        (state, gateway) ->
            new Distortion(state, gateway) {
              @Override
              public Inspection inspect(JobKey job, String recovery) {
                Inspection seen = super.inspect(job, recovery);
                return seen instanceof Inspection.Report report ? bent.apply(report) : seen;
              }
            });
  }

  /** 21: takes one crash for two. */
  public static Reconcilers.Factory countingCrashesTwice() {
    return Distorted.saving(
        status -> {
          List<ResumeAttempt> all = new ArrayList<>(status.resumes());
          status.resumes().stream()
              .filter(a -> a.result() == ResumeResult.CRASHED)
              .filter(a -> Collections.frequency(status.resumes(), a) < 2)
              .forEach(all::add);
          return status.withResumes(all);
        });
  }

  /** 73: forgets what a job has gone back from once its gang runs. */
  public static Reconcilers.Factory forgettingThatItWentBack() {
    return Distorted.saving(
        status ->
            status.phase() == RecoveryPhase.RECOVERED
                ? pinning(status, BrokenCheckpoints::withoutRollBack)
                : status);
  }

  private static RecoveryStatus pinning(RecoveryStatus status, UnaryOperator<PinnedCheckpoint> as) {
    RecoveryStatus.Plan plan = status.plan();
    PinnedCheckpoint pin = plan == null ? null : plan.checkpoint();
    return plan == null || pin == null
        ? status
        : status.withPlan(plan.withCheckpoint(as.apply(pin)));
  }

  private static PinnedCheckpoint withoutRollBack(PinnedCheckpoint pin) {
    return new PinnedCheckpoint(
        pin.verdict(),
        pin.path(),
        pin.step(),
        pin.level(),
        pin.message(),
        null,
        pin.format(),
        pin.nodes());
  }

  /** 56: does not see that a loss is NaN. */
  public static Reconcilers.Factory blindToNaN() {
    return Distorted.seeingRanks(
        rank -> {
          Loss loss = rank.loss();
          return loss == null || loss.value() != null ? rank : rank.withLoss(null);
        });
  }

  /** 29: goes back from a loss of NaN by one step too few. */
  public static Reconcilers.Factory goingBackTooLittle() {
    return Distorted.saving(
        status -> {
          RecoveryStatus.Cause cause = status.cause();
          Long before = cause == null ? null : cause.beforeStep();
          return cause == null
                  || before == null
                  || !cause.reason().equals(RecoveryStatus.Cause.LOSS_NOT_FINITE)
                  || status.phase() != RecoveryPhase.DETECTED
              ? status
              : status.withCause(cause.withBeforeStep(before + 1));
        });
  }
}
