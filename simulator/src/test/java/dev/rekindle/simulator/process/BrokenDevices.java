package dev.rekindle.simulator.process;

import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.controller.model.DraView;
import dev.rekindle.controller.model.FaultView;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.detect.node.DeviceSlice;
import dev.rekindle.detect.node.NodeSigns;
import dev.rekindle.simulator.world.DraDrivers;
import java.util.List;
import java.util.Set;
import java.util.function.BiFunction;

/** Controllers that misread what device plugins, DRA drivers and HAMi say of devices. */
public final class BrokenDevices {
  private static final Set<String> PLUGINS = Set.of("device-plugin", "hami");

  private BrokenDevices() {}

  /** 5: takes what a device plugin says for proof. */
  public static Reconcilers.Factory believingPlugins() {
    return Distortion.controller(
        (state, gateway) ->
            new Distortion(state, gateway) {
              @Override
              public List<FaultView> faults(String node) {
                return super.faults(node).stream().map(BrokenDevices::proven).toList();
              }
            });
  }

  private static FaultView proven(FaultView fault) {
    return PLUGINS.contains(fault.detector()) && fault.fence() == FenceGuidance.THRESHOLD
        ? fault.withFence(FenceGuidance.ALWAYS)
        : fault;
  }

  /** 78: takes the devices of a driver that is away for untainted. */
  public static Reconcilers.Factory takingAbsenceForHealing() {
    return showing(
        (node, dra) ->
            dra.slices().isEmpty()
                ? new DraView(
                    List.of(new DeviceSlice(node, DraDrivers.DRIVER, node, List.of())), List.of())
                : dra);
  }

  /** 79: does not read taints of devices. */
  public static Reconcilers.Factory blindToDeviceTaints() {
    return showing((_, dra) -> new DraView(dra.slices(), List.of()));
  }

  private static Reconcilers.Factory showing(BiFunction<String, DraView, DraView> as) {
    return Distortion.controller(
        (state, gateway) ->
            new Distortion(state, gateway) {
              @Override
              public DraView dra(String node) {
                return as.apply(node, super.dra(node));
              }
            });
  }

  /** 57: does not see that device plugins hold GPUs back. */
  public static Reconcilers.Factory blindToShortfalls() {
    return Distortion.controller(
        (state, gateway) ->
            new Distortion(state, gateway) {
              @Override
              public List<NodeView> nodes() {
                return super.nodes().stream().map(BrokenDevices::whole).toList();
              }
            });
  }

  private static NodeView whole(NodeView node) {
    NodeSigns signs = node.signs();
    return node.withSigns(
        new NodeSigns(signs.conditions(), List.of(), signs.sickDevices(), signs.owner()));
  }
}
