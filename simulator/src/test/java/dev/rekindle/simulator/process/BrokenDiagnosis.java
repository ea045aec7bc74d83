package dev.rekindle.simulator.process;

import dev.rekindle.api.RankEvidence;
import dev.rekindle.api.RankEvidence.DumpState;
import dev.rekindle.api.RestartReportSpec;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.RankView;
import dev.rekindle.controller.model.RestartView;
import dev.rekindle.detect.node.PodDevices;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;

/** Controllers that name the wrong rank, or believe what nobody has seen. */
public final class BrokenDiagnosis {
  private BrokenDiagnosis() {}

  /** 28: takes those who wait for those who are waited for. */
  public static Reconcilers.Factory namingTheVictims() {
    return seeing(BrokenDiagnosis::reversed);
  }

  /** 28: ignores dumps, and so believes a rank that reports falsely. */
  public static Reconcilers.Factory blindToDumps() {
    return seeing(
        rank ->
            rank.with(b -> b.dump(DumpState.NONE).groups(List.of()).stack(List.of()).calls(null)));
  }

  /** 40, 44: takes a rank of which nobody has told it for one that was inspected just now. */
  public static Reconcilers.Factory inventingReports() {
    return (state, gateway, clock, effects) -> {
      Distortion bent =
          new Distortion(state, gateway) {
            @Override
            public List<RankView> ranks(JobKey key) {
              List<RankView> reports = new ArrayList<>(super.ranks(key));
              for (PodView pod : super.pods(key)) {
                if (reports.stream().noneMatch(r -> r.podUid().equals(pod.uid()))) {
                  reports.add(unmoved(pod, clock.instant()));
                }
              }
              return reports;
            }
          };
      return Reconcilers.REAL.make(bent, bent, clock, effects);
    };
  }

  /** 76: does not read which GPUs a pod holds. */
  public static Reconcilers.Factory blindToHeldGpus() {
    return holding(_ -> PodDevices.UNKNOWN);
  }

  /** 77: takes the GPUs of a pod for others. */
  public static Reconcilers.Factory mixingUpGpus() {
    return holding(
        devices ->
            devices.known()
                ? new PodDevices(
                    true, Set.of("GPU-00000000-0000-0000-0000-000000000000"), List.of())
                : devices);
  }

  private static Reconcilers.Factory holding(UnaryOperator<PodDevices> as) {
    return Distortion.controller(
        (state, gateway) ->
            new Distortion(state, gateway) {
              @Override
              public List<PodView> pods(JobKey key) {
                return super.pods(key).stream()
                    .map(pod -> pod.withDevices(as.apply(pod.devices())))
                    .toList();
              }
            });
  }

  private static RankView unmoved(PodView pod, Instant looked) {
    return new RankView(
        pod.job(),
        pod.name(),
        pod.uid(),
        pod.node(),
        pod.restarts(),
        null,
        null,
        null,
        null,
        looked,
        null,
        null,
        false,
        false,
        null,
        null,
        null,
        null);
  }

  private static Reconcilers.Factory seeing(UnaryOperator<RankEvidence> as) {
    return Distortion.controller(
        (state, gateway) ->
            new Distortion(state, gateway) {
              @Override
              public List<RestartView> restarts(JobKey key) {
                return super.restarts(key).stream().map(report -> with(report, as)).toList();
              }
            });
  }

  private static RestartView with(RestartView report, UnaryOperator<RankEvidence> as) {
    RestartReportSpec spec = report.spec();
    return new RestartView(
        report.namespace(),
        report.name(),
        new RestartReportSpec(
            spec.order(),
            spec.orderUid(),
            spec.node(),
            spec.job(),
            spec.done(),
            spec.problem(),
            spec.pods(),
            spec.time(),
            spec.ranks().stream().map(as).toList()));
  }

  private static RankEvidence reversed(RankEvidence rank) {
    return rank.with(
        b ->
            b.groups(rank.groups().stream().map(BrokenDiagnosis::reversed).toList())
                .stack(List.of())
                .calls(null));
  }

  private static RankEvidence.Group reversed(RankEvidence.Group g) {
    boolean waits = g.enqueued() > g.completed();
    return new RankEvidence.Group(
        g.name(),
        g.description(),
        g.ranks(),
        waits ? g.completed() : g.completed() + 1,
        g.completed(),
        g.inferred(),
        g.operations(),
        g.idleMillis());
  }
}
