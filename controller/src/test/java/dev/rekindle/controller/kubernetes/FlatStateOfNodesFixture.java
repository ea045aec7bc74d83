package dev.rekindle.controller.kubernetes;

import io.fabric8.kubernetes.api.model.Node;

/** Nodes with faults and devices. */
abstract class FlatStateOfNodesFixture extends FlatStateFixture {
  static Node node(String name, boolean cordoned, int version, String heartbeat) {
    return object(
        Node.class,
        """
        metadata: {name: %s, resourceVersion: "%d", labels: {kubernetes.io/hostname: host-%s}}
        spec: {unschedulable: %s}
        status: {conditions: [{type: Ready, status: "True", lastHeartbeatTime: "%s"}]}
        """
            .formatted(name, version, name, cordoned, heartbeat));
  }

  static Node sick(int version, String gpuMissing, String memoryPressure, String since) {
    return object(
        Node.class,
        """
        metadata: {name: n1, resourceVersion: "%d"}
        status:
          conditions:
            - {type: GPUMissing, status: "%s"}
            - {type: MemoryPressure, status: "%s", reason: R%d, lastTransitionTime: "%s"}
        """
            .formatted(version, gpuMissing, memoryPressure, version, since));
  }
}
