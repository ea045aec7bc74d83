package dev.rekindle.simulator.process;

import dev.rekindle.controller.model.NodeView;
import java.util.List;
import java.util.Map;

/** Controllers that are broken on purpose: they know too little of nodes. */
public final class BrokenPlacement {
  private static final int MANY = 1_000;

  private BrokenPlacement() {}

  /** 29: knows no leaf groups, so all nodes are equally near to it. */
  public static Reconcilers.Factory blindToLeafGroups() {
    return Distortion.controller(
        (state, gateway) ->
            new Distortion(state, gateway) {
              @Override
              public List<NodeView> nodes() {
                return super.nodes().stream().map(n -> n.withLabels(Map.of())).toList();
              }
            });
  }

  /** 30: takes each node for one with GPUs to spare. */
  public static Reconcilers.Factory seeingRoomEverywhere() {
    return Distortion.controller(
        (state, gateway) ->
            new Distortion(state, gateway) {
              @Override
              public List<NodeView> nodes() {
                return super.nodes().stream().map(n -> n.withGpus(MANY)).toList();
              }
            });
  }
}
