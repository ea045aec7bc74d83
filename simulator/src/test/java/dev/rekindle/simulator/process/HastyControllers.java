package dev.rekindle.simulator.process;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.controller.model.Amounts;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.JobView.OptIn;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.RankView;
import dev.rekindle.controller.model.RecoveryView;
import dev.rekindle.controller.port.ClusterGateway;
import dev.rekindle.controller.port.ClusterState;
import dev.rekindle.controller.runtime.ParallelExecutor;
import dev.rekindle.detect.node.ConditionReading;
import dev.rekindle.detect.node.NodeSigns;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/** Controllers that give up, plan or clear too soon, each caught by one invariant. */
public final class HastyControllers {
  private static final Duration LONG = Duration.ofMinutes(5);

  private HastyControllers() {}

  /** 36: counts more time in a phase than has passed. */
  public static Reconcilers.Factory countingTimeTwice() {
    return Distortion.controller(
        (state, gateway) ->
            new Distortion(state, gateway) {
              @Override
              public List<RecoveryView> recoveries(JobKey job) {
                return super.recoveries(job).stream().map(HastyControllers::older).toList();
              }
            });
  }

  private static RecoveryView older(RecoveryView recovery) {
    RecoveryStatus status = recovery.status();
    Instant since = status == null ? null : status.phaseSince();
    return status == null || since == null || status.phase() != RecoveryPhase.VERIFYING
        ? recovery
        : recovery.with(status.withPhaseSince(since.minus(LONG)));
  }

  /** 67: takes one restart of a container for six. */
  public static Reconcilers.Factory fearingLoops() {
    return Distortion.controller(
        (state, gateway) ->
            new Distortion(state, gateway) {
              @Override
              public List<PodView> pods(JobKey job) {
                return super.pods(job).stream().map(p -> p.withRestarts(6 * p.restarts())).toList();
              }

              @Override
              public List<RankView> ranks(JobKey job) {
                return super.ranks(job).stream()
                    .map(r -> r.withRestartCount(6 * r.restartCount()))
                    .toList();
              }
            });
  }

  /** 37: forgets that the pods of the gang which stay use GPUs. */
  public static Reconcilers.Factory forgettingThePodsThatStay() {
    return Distorted.seeingPods(p -> p.with(b -> b.gpus(0).requests(Amounts.NONE)));
  }

  /** 38: takes a condition of which its author cannot say anything for one that is over. */
  public static Reconcilers.Factory takingUnknownForOver() {
    return Distortion.controller(
        (state, gateway) ->
            new Distortion(state, gateway) {
              @Override
              public Optional<NodeView> node(String name) {
                return super.node(name).map(HastyControllers::over);
              }

              @Override
              public Optional<NodeView> liveNode(String name, Predicate<String> conditions) {
                return super.liveNode(name, conditions).map(HastyControllers::over);
              }
            });
  }

  private static NodeView over(NodeView node) {
    NodeSigns signs = node.signs();
    List<ConditionReading> known =
        signs.conditions().stream()
            .map(c -> c.unknown() ? new ConditionReading(c.type(), "False", "", "", c.since()) : c)
            .toList();
    return node.withSigns(
        new NodeSigns(known, signs.shortfalls(), signs.sickDevices(), signs.owner()));
  }

  /** 69: does not see that somebody else is at work on a node. */
  public static Reconcilers.Factory blindToOthers() {
    return Distortion.controller(
        (state, gateway) ->
            new Distortion(state, gateway) {
              @Override
              public Optional<NodeView> node(String name) {
                return super.node(name).map(HastyControllers::free);
              }

              @Override
              public List<NodeView> nodes() {
                return super.nodes().stream().map(HastyControllers::free).toList();
              }
            });
  }

  private static NodeView free(NodeView node) {
    NodeSigns signs = node.signs();
    return node.withSigns(
        new NodeSigns(signs.conditions(), signs.shortfalls(), signs.sickDevices(), null));
  }

  /** 23: takes a gang that is Ready for one that trains, whatever its script prints. */
  public static Reconcilers.Factory takingReadyForTraining() {
    return Distortion.controller(
        (state, gateway) ->
            new Distortion(state, gateway) {
              @Override
              public Optional<JobView> job(JobKey key) {
                boolean verifies =
                    state.recoveries(key).stream()
                        .map(RecoveryView::status)
                        .anyMatch(s -> s != null && s.phase() == RecoveryPhase.VERIFYING);
                return super.job(key).map(j -> verifies ? j.withOptIn(new OptIn.No()) : j);
              }
            });
  }

  /** 70: counts for how long the lease is its own from when the answer came. */
  public static Reconcilers.Factory countingFromTheAnswer() {
    return new Reconcilers.Factory() {
      @Override
      public Reconcilers make(
          ClusterState state,
          ClusterGateway gateway,
          InstantSource clock,
          ParallelExecutor effects) {
        return Reconcilers.REAL.make(state, gateway, clock, effects);
      }

      @Override
      public Instant leaseCountsFrom(Instant sent, Instant answered) {
        return answered;
      }
    };
  }
}
