package dev.rekindle.simulator.process;

import dev.rekindle.api.NodeFaultSpec;
import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.controller.model.FaultView;
import dev.rekindle.controller.model.FenceLimit;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.detect.fault.FaultObservation;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Controllers that are broken on purpose: they misread faults, or fence and release as they should
 * not.
 */
public final class BrokenFencing {
  private BrokenFencing() {}

  /** 4: knows no limit. */
  public static Reconcilers.Factory withoutBreaker() {
    return Distortion.controller(
        (state, gateway) ->
            new Distortion(state, gateway) {
              @Override
              public Optional<Policy> policy(String name) {
                return super.policy(name)
                    .map(p -> p.with(b -> b.maxFencedNodes(1_000).maxFencedPercent(null)));
              }
            });
  }

  /** 4: counts the fences that it sees, and takes no place among them. */
  public static Reconcilers.Factory countingFencesInItsCache() {
    return Distortion.controller(
        (state, gateway) ->
            new Distortion(state, gateway) {
              @Override
              public boolean cordon(String node, String by, String reason, FenceLimit limit) {
                return super.cordon(node, by, reason, FenceLimit.of(1_000));
              }
            });
  }

  /** 4: knows the limit in all, and none of a pool. */
  public static Reconcilers.Factory blindToPools() {
    return Distortion.controller(
        (state, gateway) ->
            new Distortion(state, gateway) {
              @Override
              public boolean cordon(String node, String by, String reason, FenceLimit limit) {
                FenceLimit blind = new FenceLimit(limit.inAll(), limit.named(), null);
                return super.cordon(node, by, reason, blind);
              }

              @Override
              public Optional<Policy> policy(String name) {
                return super.policy(name).map(p -> p.withPoolLabel(""));
              }
            });
  }

  /** 5: takes a program's own mistake for the hardware's, deaf to what happened elsewhere. */
  public static Reconcilers.Factory blamingTheHardwareForPrograms() {
    return Distortion.controller(
        (state, gateway) ->
            new Distortion(state, gateway) {
              @Override
              public List<FaultView> faultsOfCode(String code) {
                return List.of();
              }
            });
  }

  /** 5: fences for what an application can cause. */
  public static Reconcilers.Factory fencingOnAnyFault() {
    return Distortion.controller(
        (state, gateway) ->
            new Distortion(state, gateway) {
              @Override
              public List<FaultView> faults(String node) {
                return super.faults(node).stream().map(BrokenFencing::fencing).toList();
              }
            });
  }

  private static FaultView fencing(FaultView f) {
    return f.withFence(FenceGuidance.ALWAYS);
  }

  /** 13: takes silence for a cure. */
  public static Reconcilers.Factory forgettingOldFaults() {
    return (state, gateway, clock, effects) -> {
      Distortion bent =
          new Distortion(state, gateway) {
            @Override
            public List<FaultView> faults(String node) {
              return super.faults(node).stream()
                  .filter(
                      f ->
                          f.lastSeen() == null
                              || f.lastSeen().plusSeconds(70).isAfter(clock.instant()))
                  .toList();
            }
          };
      Reconcilers real = Reconcilers.REAL.make(bent, bent, clock, effects);
      // Silence is no event: it has to be polled.
      return new Reconcilers(
          real.jobs(),
          node -> {
            var _ = real.nodes().reconcile(node);
            return Optional.of(Duration.ofSeconds(20));
          });
    };
  }

  /** 13: takes any reboot for a cure, also of what is to be replaced. */
  public static Reconcilers.Factory believingEveryReboot() {
    return Distortion.controller(
        (state, gateway) ->
            new Distortion(state, gateway) {
              @Override
              public List<FaultView> faults(String node) {
                return super.faults(node).stream().map(BrokenFencing::rebootable).toList();
              }
            });
  }

  private static FaultView rebootable(FaultView f) {
    return f.with(b -> b.action("reboot_node").incidents(List.of()));
  }

  /** 13: takes a node for Ready as soon as it was started again. */
  public static Reconcilers.Factory takingEveryNodeForReady() {
    return Distortion.controller(
        (state, gateway) ->
            new Distortion(state, gateway) {
              @Override
              public Optional<NodeView> node(String name) {
                return super.node(name).map(n -> n.withReadiness(NodeView.Readiness.READY));
              }
            });
  }

  /** 5: takes the faults of every Node that ever had the name for those of the present one. */
  public static Reconcilers.Factory takingFormerNodesForPresentOnes() {
    return Distortion.controller(
        (state, gateway) ->
            new Distortion(state, gateway) {
              @Override
              public List<FaultView> faults(String node) {
                return super.faults(node).stream().map(f -> f.withNodeUid("")).toList();
              }
            });
  }

  /** 27: says of what it has read from a condition that the kernel has logged it. */
  public static Reconcilers.Factory quotingAKernelThatSaidNothing() {
    return Distortion.controller(
        (state, gateway) ->
            new Distortion(state, gateway) {
              @Override
              public void raise(FaultObservation observation) {
                NodeFaultSpec read = observation.fault();
                super.raise(
                    new FaultObservation(
                        new NodeFaultSpec(
                            read.node(),
                            read.componentType(),
                            read.componentId(),
                            read.code(),
                            "kmsg",
                            read.fence(),
                            read.action(),
                            read.bootId(),
                            read.firstSeen(),
                            read.evidence()),
                        observation.sequence(),
                        observation.time(),
                        observation.unit(),
                        observation.victim()));
              }
            });
  }

  /** 6: lifts every cordon, whatever placed it. */
  public static Reconcilers.Factory releasingEverything() {
    return (state, gateway, clock, effects) -> {
      Reconcilers real = Reconcilers.REAL.make(state, gateway, clock, effects);
      return new Reconcilers(
          real.jobs(),
          name -> {
            if (state.node(name).filter(NodeView::unschedulable).isPresent()) {
              ((SimGateway) gateway).releaseWhatever(name);
            }
            return Optional.empty();
          });
    };
  }

  /** 15: lifts the fence of a lemon as any other. */
  public static Reconcilers.Factory forgivingLemons() {
    return Distorted.seeingPolicies(p -> p.withFenceLemons(false));
  }

  /** 22: fences no node. */
  public static Reconcilers.Factory fencingNothing() {
    return Distortion.controller(
        (state, gateway) ->
            new Distortion(state, gateway) {
              @Override
              public boolean cordon(String node, String by, String reason, FenceLimit limit) {
                return false;
              }
            });
  }

  /** 22: fences only for what fences by itself, however often anything else comes. */
  public static Reconcilers.Factory weighingNothing() {
    return Distortion.controller(
        (state, gateway) ->
            new Distortion(state, gateway) {
              @Override
              public List<FaultView> faults(String node) {
                return super.faults(node).stream().map(BrokenFencing::unweighed).toList();
              }
            });
  }

  private static FaultView unweighed(FaultView f) {
    return f.fence() == FenceGuidance.THRESHOLD ? f.withFence(FenceGuidance.NEVER) : f;
  }

  /** 13: takes what a third reboot has cleared for gone. */
  public static Reconcilers.Factory believingAThirdReboot() {
    return Distortion.controller(
        (state, gateway) ->
            new Distortion(state, gateway) {
              @Override
              public List<FaultView> faults(String node) {
                return super.faults(node).stream()
                    .map(f -> f.clearedBy().equals("reboot") ? f.withClearedBy("probe") : f)
                    .toList();
              }
            });
  }
}
