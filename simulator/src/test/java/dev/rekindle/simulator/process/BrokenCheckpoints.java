package dev.rekindle.simulator.process;

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
}
