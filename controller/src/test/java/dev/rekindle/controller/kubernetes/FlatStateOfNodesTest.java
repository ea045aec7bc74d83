package dev.rekindle.controller.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.rekindle.api.NodeFault;
import dev.rekindle.api.NodeFaultSpec;
import dev.rekindle.controller.model.AscendView;
import dev.rekindle.controller.model.FaultView;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.detect.node.ConditionReading;
import dev.rekindle.detect.node.DeviceSlice;
import dev.rekindle.detect.node.DeviceTaint;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Nodes, their faults and their devices. */
class FlatStateOfNodesTest extends FlatStateFixture {
  private static Node node(String name, boolean cordoned, int version, String heartbeat) {
    return object(
        Node.class,
        """
        metadata: {name: %s, resourceVersion: "%d", labels: {kubernetes.io/hostname: host-%s}}
        spec: {unschedulable: %s}
        status: {conditions: [{type: Ready, status: "True", lastHeartbeatTime: "%s"}]}
        """
            .formatted(name, version, name, cordoned, heartbeat));
  }

  @Test
  void shouldTellTheNodeAndTheJobsOnItWhenANodeChanges() {
    feeds.pods().present(pod("a", "n1", "Running", 1));
    changed.clear();
    feeds.nodes().present(node("n1", false, 2, "2026-01-01T00:00:00Z"));
    assertThat(changed).contains("node n1", "job team/mnist");
    assertThat(state.node("n1")).map(NodeView::hostname).contains("host-n1");
  }

  private static Node inBoot(int version, String boot, String heartbeat) {
    return object(
        Node.class,
        """
        metadata: {name: n1, resourceVersion: "%d"}
        status:
          nodeInfo: {bootID: "%s"}
          conditions: [{type: Ready, status: "True", lastHeartbeatTime: "%s"}]
        """
            .formatted(version, boot, heartbeat));
  }

  @Test
  void shouldRememberSinceWhenANodeReportsItsBootAndTellNoHeartbeat() {
    feeds.nodes().present(inBoot(2, "a", "2026-01-01T00:00:00Z"));
    changed.clear();
    feeds.nodes().present(inBoot(3, "a", "2026-01-01T00:05:00Z"));
    assertThat(changed).isEmpty();
    assertThat(state.node("n1")).map(NodeView::bootSince).contains(time("00:00:00"));
    feeds.nodes().present(inBoot(4, "b", "2026-01-01T00:07:00Z"));
    assertThat(changed).contains("node n1");
    feeds.nodes().present(inBoot(5, "b", "2026-01-01T00:12:00Z"));
    assertThat(state.node("n1")).map(NodeView::bootSince).contains(time("00:07:00"));
  }

  private static Instant time(String ofDay) {
    return Instant.parse("2026-01-01T" + ofDay + "Z");
  }

  private static NodeFault hurt(String node, String job) {
    return object(
        NodeFault.class,
        """
        metadata: {name: %s.gpu.xid-31, resourceVersion: "7"}
        spec: {node: %s, componentType: GPU, componentId: "0000:3b:00", code: XID-31, detector: kmsg,
          fence: Threshold, action: restart_job, bootId: b, evidence: e}
        status:
          state: Active
          count: 1
          lastSeen: "2026-01-01T00:00:00Z"
          bootId: b
          lastSequence: 1
          lastEvidence: e
          clearedBy: ""
          incidents:
            - {firstSeen: "2026-01-01T00:00:00Z", lastSeen: "2026-01-01T00:00:00Z", lines: 1, unit: "",
               namespace: team, pod: p, jobUid: "%s", bootId: b}
        """
            .formatted(node, node, job));
  }

  @Test
  void shouldRememberWhomADeletedFaultHurt() {
    feeds.faults().present(hurt("n1", "job-a"));
    feeds.faults().present(hurt("n2", ""));
    feeds.faults().gone(hurt("n1", "job-a"));
    feeds.faults().gone(hurt("n2", ""));

    assertThat(state.faults("n1")).isEmpty();
    assertThat(state.faultsOfCode("XID-31")).extracting(FaultView::node).containsExactly("n1");
    for (int i = 0; i < 2000; i++) {
      feeds.faults().present(hurt("m" + i, "job-a"));
      feeds.faults().gone(hurt("m" + i, "job-a"));
    }
    assertThat(state.faultsOfCode("XID-31")).hasSize(512);
  }

  private static Node sick(int version, String gpuMissing, String memoryPressure, String since) {
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

  @Test
  void shouldTellNothingOfConditionsThatNoRuleNames() {
    feeds.nodes().present(sick(2, "False", "False", "2026-01-01T00:00:00Z"));
    changed.clear();
    feeds.nodes().present(sick(3, "False", "True", "2026-01-01T00:01:00Z"));
    assertThat(changed).isEmpty();
    assertThat(state.node("n1").orElseThrow().signs().conditions())
        .extracting(ConditionReading::type)
        .containsExactly("GPUMissing");
    feeds.nodes().present(sick(4, "True", "True", "2026-01-01T00:01:00Z"));
    assertThat(changed).contains("node n1");
  }

  @Test
  void shouldTellNothingWhenOnlyAHeartbeatCame() {
    feeds.nodes().present(node("n1", false, 2, "2026-01-01T00:00:00Z"));
    changed.clear();
    feeds.nodes().present(node("n1", false, 3, "2026-01-01T00:05:00Z"));
    assertThat(changed).isEmpty();
    feeds.nodes().present(node("n1", true, 4, "2026-01-01T00:05:00Z"));
    assertThat(changed).contains("node n1");
  }

  @Test
  void shouldTellTheNodeOfAFaultAndTheJobsOnIt() {
    feeds.pods().present(pod("a", "n1", "Running", 1));
    changed.clear();
    NodeFault fault =
        object(
            NodeFault.class,
            """
            metadata: {name: f, resourceVersion: "5"}
            spec: {node: n1, componentType: GPU, componentId: "0000:3b:00", code: XID-79, fence: Always,
              evidence: gone}
            """);
    feeds.faults().present(fault);
    assertThat(changed).containsExactly("node n1", "job team/mnist");
    FaultView view = state.faults("n1").getFirst();
    assertThat(view.component()).isEqualTo("GPU 0000:3b:00");
    assertThat(view.fence()).isEqualTo(NodeFaultSpec.FenceGuidance.ALWAYS);
    assertThat(view.fences()).as("active without a status").isTrue();
    assertThat(view.count()).isOne();
  }

  /** Whether it is fenced depends on whose pods it carries. */
  @Test
  void shouldTellAFaultyNodeOfAPodThatComesToIt() {
    feeds.faults().present(fault("f", "n1"));
    changed.clear();

    feeds.pods().present(pod("a", "n1", "Running", 1));
    feeds.pods().present(pod("b", "n2", "Running", 2));

    assertThat(changed).contains("node n1").doesNotContain("node n2");
  }

  private static NodeFault fault(String name, String node) {
    return object(
        NodeFault.class,
        """
        metadata: {name: %s, resourceVersion: "5"}
        spec: {node: %s, componentType: GPU, componentId: "0000:3b:00", code: XID-79, fence: Always,
          evidence: gone}
        """
            .formatted(name, node));
  }

  private static DeviceTaint rule(String driver, String pool, String device) {
    return new DeviceTaint(
        driver, pool, device, false, "", "example.com/broken", "", "NoExecute", null);
  }

  @Test
  void shouldTellTheTaintsOfANodesDevicesFromSlicesAndFromRulesForTheirPool() {
    DeviceTaint own = rule("gpu.example.com", "pool-1", "gpu-0");
    state
        .sliceFeed()
        .present("s1", "1", new DeviceSlice("n1", "gpu.example.com", "pool-1", List.of(own)));
    state
        .sliceFeed()
        .present("s2", "1", new DeviceSlice("n2", "gpu.example.com", "pool-2", List.of()));
    changed.clear();
    state.taintRuleFeed().present("r1", "1", rule("", "pool-2", ""));
    state.taintRuleFeed().present("r2", "1", rule("other.example.com", "pool-1", ""));

    assertThat(changed).contains("node n2").doesNotContain("job team/mnist");
    assertThat(state.deviceTaints("n1")).containsExactly(own);
    assertThat(state.deviceTaints("n2")).containsExactly(rule("", "pool-2", ""));
    state.taintRuleFeed().gone("r1", "2");
    assertThat(state.deviceTaints("n2")).isEmpty();
    assertThat(state.deviceTaints("n3")).isEmpty();
  }

  @Test
  void shouldLookAtANodeWhenAPodShowsItsDeviceAsUnhealthyAndWhenItLeaves() {
    feeds.pods().present(pod("p", "n1", "Running", 1));
    assertThat(changed).doesNotContain("node n1");
    Pod sick =
        object(
            Pod.class,
            """
            metadata:
              name: p
              namespace: team
              uid: p-uid
              resourceVersion: "2"
              labels: {training.kubeflow.org/job-name: mnist}
            spec: {nodeName: n1}
            status:
              phase: Running
              containerStatuses:
              - name: pytorch
                allocatedResourcesStatus:
                - {name: nvidia.com/gpu, resources: [{resourceID: GPU-1, health: Unhealthy}]}
            """);
    feeds.pods().present(sick);
    assertThat(changed).contains("node n1");
    changed.clear();
    feeds.pods().gone(sick);
    assertThat(changed).contains("node n1");
  }

  @Test
  void shouldReadMindClustersConfigMapsAndNoOthers() {
    ConfigMap faulty =
        object(
            ConfigMap.class,
            """
            metadata: {name: mindx-dl-nodeinfo-n1, namespace: mindx-dl, resourceVersion: "1"}
            data: {NodeInfo: '{"NodeInfo":{"NodeStatus":"UnHealthy","FaultDevList":[]}}'}
            """);
    ConfigMap rubbish =
        object(
            ConfigMap.class,
            """
            metadata: {name: mindx-dl-deviceinfo-n1, namespace: kube-system, resourceVersion: "1"}
            data: {DeviceInfoCfg: 'none of your business'}
            """);
    ConfigMap other =
        object(
            ConfigMap.class,
            """
            metadata: {name: coredns, namespace: kube-system, resourceVersion: "1"}
            data: {Corefile: x}
            """);
    feeds.ascend().present(faulty);
    feeds.ascend().present(rubbish);
    feeds.ascend().present(other);

    assertThat(state.ascend("n1"))
        .extracting(AscendView::readable, v -> v.faults().size())
        .containsExactlyInAnyOrder(tuple(true, 1), tuple(false, 0));
    feeds.ascend().gone(faulty);
    assertThat(state.ascend("n1")).hasSize(1);
  }
}
