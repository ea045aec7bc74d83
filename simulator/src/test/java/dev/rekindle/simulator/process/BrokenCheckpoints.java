package dev.rekindle.simulator.process;

import dev.rekindle.api.PinnedCheckpoint;
import dev.rekindle.api.RankReportStatus.Loss;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.ResumeAttempt;
import dev.rekindle.api.ResumeResult;
import dev.rekindle.controller.model.Inspection;
import dev.rekindle.controller.model.Inspection.Checkpoint;
import dev.rekindle.controller.model.JobKey;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;

/** Controllers that are broken on purpose: they misread what several nodes have of a checkpoint. */
public final class BrokenCheckpoints {
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

  private static Checkpoint whole(Checkpoint c) {
    return c.verdict().equals("Unknown")
        ? new Checkpoint(
            c.path(),
            c.step(),
            c.bytes(),
            c.modified(),
            "Valid",
            c.level(),
            "",
            c.format(),
            c.ranks())
        : c;
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
