package dev.rekindle.simulator.process;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.controller.model.Amounts;
import dev.rekindle.controller.model.ClusterEvent;
import dev.rekindle.controller.model.FenceLimit;
import dev.rekindle.controller.model.FenceQuota;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.RankView;
import dev.rekindle.controller.model.Reason;
import dev.rekindle.controller.model.RecoveryView;
import dev.rekindle.detect.node.ConditionReading;
import dev.rekindle.detect.node.NodeSigns;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/** Controllers that stop, give up or fence too soon, each caught by one invariant. */
public final class HastyControllers {
  private static final Duration LONG = Duration.ofMinutes(5);

  private HastyControllers() {}

  /** 36: takes the rank whose step it saw longest ago for all of its gang. */
  public static Reconcilers.Factory waitingForTheLastRank() {
    return Distortion.controller(
        (state, gateway) ->
            new Distortion(state, gateway) {
              @Override
              public List<RankView> ranks(JobKey job) {
                List<RankView> ranks = super.ranks(job);
                Optional<RankView> last =
                    ranks.stream()
                        .filter(r -> r.lastStepTime() != null)
                        .min(Comparator.comparing(r -> Objects.requireNonNull(r.lastStepTime())));
                return last.map(
                        l ->
                            ranks.stream()
                                .map(r -> r.lastStepTime() == null ? r : seenLike(r, l))
                                .toList())
                    .orElse(ranks);
              }
            });
  }

  private static RankView seenLike(RankView rank, RankView last) {
    return rank.with(b -> b.lastStepTime(last.lastStepTime()).pace(last.pace()));
  }

  /** 37: counts more time in a phase than has passed. */
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

  /** 38: forgets that the pods of the gang which stay use GPUs. */
  public static Reconcilers.Factory forgettingThePodsThatStay() {
    return Distortion.controller(
        (state, gateway) ->
            new Distortion(state, gateway) {
              @Override
              public List<PodView> pods(JobKey job) {
                return super.pods(job).stream()
                    .map(p -> p.with(b -> b.gpus(0).requests(Amounts.NONE)))
                    .toList();
              }
            });
  }

  /** 39: knows no quota of a namespace. */
  public static Reconcilers.Factory deafToQuotas() {
    return Distortion.controller(
        (state, gateway) ->
            new Distortion(state, gateway) {
              @Override
              public Optional<NodeView> node(String name) {
                return super.node(name).map(n -> n.withFencedFor(""));
              }

              @Override
              public List<NodeView> nodes() {
                return super.nodes().stream().map(n -> n.withFencedFor("")).toList();
              }

              @Override
              public boolean cordon(String node, String by, String reason, FenceLimit limit) {
                FenceQuota none =
                    new FenceQuota(limit.quota().namespaces(), Map.of(), Integer.MAX_VALUE);
                return super.cordon(
                    node,
                    by,
                    reason,
                    new FenceLimit(limit.inAll(), limit.named(), limit.pool(), none));
              }
            });
  }

  /** 40: withdraws no order while its recovery is held. */
  public static Reconcilers.Factory keepingFrozenWhatIsHeld() {
    return Distortion.controller(
        (state, gateway) ->
            new Distortion(state, gateway) {
              @Override
              public void withdraw(JobKey job, String name) {
                if (super.recoveries(job).stream().noneMatch(HastyControllers::isHeld)) {
                  super.withdraw(job, name);
                }
              }
            });
  }

  /** 41: takes a condition of which its author cannot say anything for one that is over. */
  public static Reconcilers.Factory takingUnknownForOver() {
    return Distortion.controller(
        (state, gateway) ->
            new Distortion(state, gateway) {
              @Override
              public Optional<NodeView> node(String name) {
                return super.node(name).map(HastyControllers::over);
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

  /** 42: says of no write on a node that it is refused. */
  public static Reconcilers.Factory silentOnRefusals() {
    return Distortion.controller(
        (state, gateway) ->
            new Distortion(state, gateway) {
              @Override
              public void recordEvent(ClusterEvent event) {
                if (event.reason() != Reason.NODE_WRITE_REFUSED) {
                  super.recordEvent(event);
                }
              }
            });
  }

  private static boolean isHeld(RecoveryView recovery) {
    RecoveryStatus status = recovery.status();
    return status != null && status.phase() == RecoveryPhase.HELD;
  }
}
