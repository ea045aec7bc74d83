package dev.rekindle.simulator.process;

import dev.rekindle.api.CheckpointVerdict;
import dev.rekindle.api.PinnedCheckpoint;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RestartInstruction;
import dev.rekindle.api.RestartOrderSpec;
import dev.rekindle.api.RestartReportSpec;
import dev.rekindle.api.RestartReportSpec.PodRestart;
import dev.rekindle.api.RestartReportSpec.State;
import dev.rekindle.api.RestartWay;
import dev.rekindle.controller.model.FaultView;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.OrderView;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.RecoveryView;
import dev.rekindle.controller.model.RestartView;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Controllers that are broken on purpose: their restarts in place mix generations. */
public final class BrokenRestarts {
  private BrokenRestarts() {}

  /** 11: continues as soon as it has requested the freeze, without waiting for the agents. */
  public static Reconcilers.Factory withoutFreeze() {
    return Distortion.controller(
        (state, gateway) ->
            new Distortion(state, gateway) {
              @Override
              public List<RestartView> restarts(JobKey key) {
                List<RestartView> reports = super.restarts(key);
                return Stream.concat(
                        reports.stream(),
                        state.orders(key).stream()
                            .flatMap(
                                order ->
                                    state.pods(key).stream()
                                        .filter(pod -> reports.stream().noneMatch(r -> on(r, pod)))
                                        .map(pod -> frozen(order, pod))))
                    .toList();
              }
            });
  }

  private static boolean on(RestartView report, PodView pod) {
    return report.spec().pods().stream().anyMatch(p -> p.podUid().equals(pod.uid()));
  }

  private static RestartView frozen(OrderView order, PodView pod) {
    return new RestartView(
        order.namespace(),
        order.name() + "." + pod.name(),
        new RestartReportSpec(
            order.name(),
            order.uid(),
            pod.node().isEmpty() ? "nowhere" : pod.node(),
            order.spec().job(),
            RestartInstruction.FREEZE,
            "",
            List.of(
                new PodRestart(
                    pod.name(), pod.uid(), "container", pod.restarts(), "", State.FROZEN)),
            order.created()));
  }

  /** 11: takes the old leader for dead, and so restarts rank 0 with all others. */
  public static Reconcilers.Factory restartingTheLeaderWithTheOthers() {
    return Distortion.controller(
        (state, gateway) ->
            new Distortion(state, gateway) {
              @Override
              public void order(RecoveryView recovery, String name, RestartOrderSpec spec) {
                super.order(
                    recovery,
                    name,
                    spec.instruction() == RestartInstruction.RESTART_LEADER
                        ? instructed(spec, RestartInstruction.RESTART_ALL)
                        : spec);
              }
            });
  }

  private static RestartOrderSpec instructed(RestartOrderSpec spec, RestartInstruction what) {
    return new RestartOrderSpec(
        spec.jobRef(), spec.recovery(), what, spec.leaderUid(), spec.until());
  }

  /** 11: takes the word of any agent for the pods of any node. */
  public static Reconcilers.Factory believingEveryAgent() {
    return Distortion.controller(
        (state, gateway) ->
            new Distortion(state, gateway) {
              @Override
              public List<RestartView> restarts(JobKey key) {
                Map<String, String> nodes =
                    state.pods(key).stream()
                        .collect(Collectors.toMap(PodView::uid, PodView::node, (one, _) -> one));
                return super.restarts(key).stream().flatMap(r -> believed(r, nodes)).toList();
              }
            });
  }

  private static Stream<RestartView> believed(RestartView report, Map<String, String> nodes) {
    RestartReportSpec spec = report.spec();
    Map<String, List<PodRestart>> said =
        spec.pods().stream()
            .collect(Collectors.groupingBy(p -> nodes.getOrDefault(p.podUid(), spec.node())));
    return said.isEmpty()
        ? Stream.of(report)
        : said.entrySet().stream()
            .map(
                e ->
                    new RestartView(
                        report.namespace(),
                        report.name(),
                        new RestartReportSpec(
                            spec.order(),
                            spec.orderUid(),
                            e.getKey(),
                            spec.job(),
                            spec.done(),
                            spec.problem(),
                            e.getValue(),
                            spec.time())));
  }

  /** 11: pins what there is when the recovery begins, while the gang may still write. */
  public static Reconcilers.Factory pinningBeforeTheFreeze() {
    return Distorted.saving(
        s -> {
          RecoveryStatus.Plan plan = s.plan();
          return plan != null
                  && plan.restart() == RestartWay.IN_PLACE
                  && s.phase() == RecoveryPhase.DRAINING
              ? pinned(s, plan)
              : s;
        });
  }

  private static RecoveryStatus pinned(RecoveryStatus s, RecoveryStatus.Plan p) {
    RecoveryStatus.Plan plan =
        p.withCheckpoint(
            new PinnedCheckpoint(CheckpointVerdict.UNKNOWN, "", null, "", "as it was found"));
    return s.with(b -> b.heldFrom(null).plan(plan));
  }

  /** 11: deletes the pods on faulty nodes while their peers compute. */
  public static Reconcilers.Factory deletingBeforeTheFreeze() {
    return Distortion.controller(
        (state, gateway) ->
            new Distortion(state, gateway) {
              @Override
              public void order(RecoveryView recovery, String name, RestartOrderSpec spec) {
                if (spec.instruction() == RestartInstruction.FREEZE) {
                  JobKey job = new JobKey(recovery.namespace(), spec.job());
                  pods(job).stream()
                      .filter(pod -> faults(pod.node()).stream().anyMatch(FaultView::fences))
                      .forEach(pod -> deletePod(job, pod.name(), pod.uid(), Duration.ofSeconds(1)));
                }
                super.order(recovery, name, spec);
              }
            });
  }

  /** 12: never withdraws its orders. */
  public static Reconcilers.Factory forgettingToWithdraw() {
    return Distortion.controller(
        (state, gateway) ->
            new Distortion(state, gateway) {
              @Override
              public void withdraw(JobKey job, String name) {}
            });
  }

  /** 23: takes what an old container reports for a word of the new one. */
  public static Reconcilers.Factory believingOldContainers() {
    return Distorted.seeingRanks(r -> r.withRestartCount(r.restartCount() + 1));
  }

  /** 11: gives agents 90 s less than the phases of a restart in place may take. */
  public static Reconcilers.Factory hurryingItsAgents() {
    return Distortion.controller(
        (state, gateway) ->
            new Distortion(state, gateway) {
              @Override
              public void order(RecoveryView recovery, String name, RestartOrderSpec spec) {
                super.order(
                    recovery,
                    name,
                    new RestartOrderSpec(
                        spec.jobRef(),
                        spec.recovery(),
                        spec.instruction(),
                        spec.leaderUid(),
                        Objects.requireNonNull(spec.until()).minusSeconds(90)));
              }
            });
  }

  /** 68: goes the same way again once an attempt in place has failed. */
  public static Reconcilers.Factory goingTheSameWayAgain() {
    return Distorted.saving(
        s -> {
          RecoveryStatus.Plan plan = s.plan();
          return plan != null
                  && plan.restart() == null
                  && s.attempt() > 1
                  && s.phase() == RecoveryPhase.DRAINING
              ? s.withPlan(plan.withRestart(RestartWay.IN_PLACE))
              : s;
        });
  }
}
