package dev.rekindle.controller.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.NodeFault;
import dev.rekindle.api.NodeFaultSpec;
import dev.rekindle.controller.model.FaultView;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.detect.node.ConditionReading;
import io.fabric8.kubernetes.api.model.Node;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** Nodes and their faults. */
class FlatStateOfNodesTest extends FlatStateOfNodesFixture {
  @Test
  void shouldNameTheNodeAndTheJobsOnItWhenANodeChanges() {
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
  void shouldRememberSinceWhenANodeReportsItsBootAndPassOnNoHeartbeat() {
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

  @Test
  void shouldPassOnNoConditionThatNoRuleNames() {
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
  void shouldPassOnNothingWhenOnlyAHeartbeatCame() {
    feeds.nodes().present(node("n1", false, 2, "2026-01-01T00:00:00Z"));
    changed.clear();
    feeds.nodes().present(node("n1", false, 3, "2026-01-01T00:05:00Z"));
    assertThat(changed).isEmpty();
    feeds.nodes().present(node("n1", true, 4, "2026-01-01T00:05:00Z"));
    assertThat(changed).contains("node n1");
  }

  @Test
  void shouldNameTheNodeOfAFaultAndTheJobsOnIt() {
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
  void shouldReconcileAFaultyNodeWhenAPodComesToIt() {
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
}
