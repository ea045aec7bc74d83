package dev.rekindle.controller.nodehealth;

import static dev.rekindle.controller.Given.T0;

import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.controller.Given;
import dev.rekindle.controller.model.AscendView;
import dev.rekindle.controller.model.DraView;
import dev.rekindle.controller.model.FaultView;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.detect.node.ConditionReading;
import dev.rekindle.detect.node.DeviceHealth;
import dev.rekindle.detect.node.DeviceSlice;
import dev.rekindle.detect.node.DeviceTaint;
import dev.rekindle.detect.node.NodeSigns;
import dev.rekindle.detect.node.PodDevices;
import dev.rekindle.detect.node.Shortfall;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** What a node shows, for tests: each call changes this one. */
final class Shown {
  private final List<ConditionReading> conditions = new ArrayList<>();
  private final List<Shortfall> shortfalls = new ArrayList<>();
  private final List<String> sick = new ArrayList<>();
  private final List<PodView> pods = new ArrayList<>();
  private final List<DeviceSlice> slices = new ArrayList<>();
  private final List<DeviceTaint> taints = new ArrayList<>();
  private final List<AscendView> ascend = new ArrayList<>();
  private final List<FaultView> faults = new ArrayList<>();

  Shown condition(String type, String status, String reason) {
    conditions.add(new ConditionReading(type, status, reason, "in words", T0));
    return this;
  }

  Shown shortfall(String resource, long capacity, long allocatable) {
    shortfalls.add(new Shortfall(resource, capacity, allocatable));
    return this;
  }

  Shown sick(String id) {
    sick.add(id);
    return this;
  }

  /** A pod of an opted-in job. */
  Shown pod(DeviceHealth... unhealthy) {
    pods.add(
        Given.gang("")
            .get(1)
            .withDevices(new PodDevices(true, Set.of("GPU-1"), List.of(unhealthy))));
    return this;
  }

  Shown slice(String driver) {
    slices.add(new DeviceSlice("node-1", driver, "node-1", List.of()));
    return this;
  }

  Shown taint(DeviceTaint taint) {
    taints.add(taint);
    return this;
  }

  Shown ascend(AscendView view) {
    ascend.add(view);
    return this;
  }

  Shown fault(FaultView fault) {
    faults.add(fault);
    return this;
  }

  NodeHealthSnapshot now() {
    NodeView node =
        Given.node("node-1").withSigns(new NodeSigns(conditions, shortfalls, sick, null));
    return new NodeHealthSnapshot(node, pods, new DraView(slices, taints), ascend, faults);
  }

  /** An active fault of a detector, seen last at T0. */
  static FaultView written(String name, String code, String detector, FenceGuidance fence) {
    return Given.fault("node-1", code, fence)
        .with(b -> b.name(name).component("node").evidence("as it was written").detector(detector));
  }
}
