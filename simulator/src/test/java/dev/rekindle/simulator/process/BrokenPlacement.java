package dev.rekindle.simulator.process;

import dev.rekindle.controller.model.BoundVolume;
import dev.rekindle.controller.model.FaultView;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.NodeRoom;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.simulator.world.NodeObject;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.UnaryOperator;

/** Controllers that are broken on purpose: they know too little of nodes. */
public final class BrokenPlacement {
  private static final int MANY = 1_000;

  private BrokenPlacement() {}

  /** 29: takes each third node for one of the same leaf group. */
  public static Reconcilers.Factory mixingUpLeafGroups() {
    return seeing(BrokenPlacement::elsewhere);
  }

  private static NodeView elsewhere(NodeView node) {
    Map<String, String> labels = new TreeMap<>(node.labels());
    labels.put(NodeObject.LEAF, "leaf-" + (node.name().charAt(node.name().length() - 1) % 3));
    return node.withLabels(labels);
  }

  /** 30: takes each node for one with GPUs to spare. */
  public static Reconcilers.Factory seeingRoomEverywhere() {
    return seeing(node -> node.withGpus(MANY));
  }

  /** 61: takes each node for one with GPUs to spare, and stops no gang that it has brought back. */
  public static Reconcilers.Factory leavingGangsInPart() {
    return Distortion.controller(
        (state, gateway) ->
            new Distortion(state, gateway) {
              @Override
              public List<NodeView> nodes() {
                return super.nodes().stream().map(n -> n.withGpus(MANY)).toList();
              }

              @Override
              public void suspend(JobKey job, String uid, String recovery, String attempt) {
                if (state.job(job).filter(j -> !j.attempt().isEmpty()).isEmpty()) {
                  super.suspend(job, uid, recovery, attempt);
                }
              }
            });
  }

  /** 37: does not read taints. */
  public static Reconcilers.Factory blindToTaints() {
    return seeing(node -> node.withRoom(NodeRoom.UNKNOWN));
  }

  /** 30: does not read which driver a node has. */
  public static Reconcilers.Factory blindToDrivers() {
    return seeing(
        node -> {
          Map<String, String> labels = new TreeMap<>(node.labels());
          labels.remove("nvidia.com/cuda.driver-version.full");
          return node.withLabels(labels);
        });
  }

  /** 30: does not read on which rail a port is down. */
  public static Reconcilers.Factory blindToRails() {
    return Distortion.controller(
        (state, gateway) ->
            new Distortion(state, gateway) {
              @Override
              public List<FaultView> faults(String node) {
                return super.faults(node).stream().map(f -> f.withIncidents(List.of())).toList();
              }
            });
  }

  /** 37, 48: knows the faults of the nodes of the gang alone. */
  public static Reconcilers.Factory blindToFaultsElsewhere() {
    return Distortion.controller(
        (state, gateway) ->
            new Distortion(state, gateway) {
              @Override
              public List<String> nodesWithFaults() {
                return List.of();
              }
            });
  }

  /** 37: does not read which nodes reach the volume of a claim. */
  public static Reconcilers.Factory blindToVolumes() {
    return Distortion.controller(
        (state, gateway) ->
            new Distortion(state, gateway) {
              @Override
              public Optional<BoundVolume> volume(JobKey job, String claim) {
                return Optional.empty();
              }
            });
  }

  /** 82: never has a PodGroup tried again. */
  public static Reconcilers.Factory leavingGroupsAside() {
    return Distortion.controller(
        (state, gateway) ->
            new Distortion(state, gateway) {
              @Override
              public void requeue(JobKey job, String podGroup, String mark) {}
            });
  }

  private static Reconcilers.Factory seeing(UnaryOperator<NodeView> as) {
    return Distortion.controller(
        (state, gateway) ->
            new Distortion(state, gateway) {
              @Override
              public List<NodeView> nodes() {
                return super.nodes().stream().map(as).toList();
              }
            });
  }

  /** 74: marks no node as a lemon. */
  public static Reconcilers.Factory markingNoLemons() {
    return Distortion.controller(
        (state, gateway) ->
            new Distortion(state, gateway) {
              @Override
              public void markLemon(String node, boolean lemon) {}
            });
  }
}
