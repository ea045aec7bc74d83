package dev.rekindle.controller.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.rekindle.api.NodeFault;
import dev.rekindle.api.NodeFaultSpec;
import dev.rekindle.api.RankReport;
import dev.rekindle.api.Recovery;
import dev.rekindle.api.RecoveryPolicy;
import dev.rekindle.api.RestartReport;
import dev.rekindle.controller.cache.FlatState;
import dev.rekindle.controller.model.AscendView;
import dev.rekindle.controller.model.FaultView;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.model.RankView;
import dev.rekindle.controller.model.RecoveryView;
import dev.rekindle.controller.port.Changes;
import dev.rekindle.detect.node.ConditionReading;
import dev.rekindle.detect.node.DeviceSlice;
import dev.rekindle.detect.node.DeviceTaint;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.kubeflow.v1.PyTorchJob;

class FlatStateTest {
  private static final KubernetesSerialization SERIALIZATION = new KubernetesSerialization();
  private static final JobKey JOB = new JobKey("team", "mnist");

  private final List<String> told = new ArrayList<>();
  private final Changes changes =
      new Changes() {
        @Override
        public void job(JobKey key) {
          told.add("job " + key);
        }

        @Override
        public void node(String name) {
          told.add("node " + name);
        }
      };
  private final FlatState state = new FlatState(changes);
  private final KubernetesFeeds feeds =
      new KubernetesFeeds(
          state, new KeptConditions(_ -> type -> type.equals("GPUMissing")), changes);

  private static <T extends HasMetadata> T object(Class<T> type, String yaml) {
    return SERIALIZATION.unmarshal(yaml, type);
  }

  private static Pod pod(String name, String node, String phase, int version) {
    return object(
        Pod.class,
        """
        metadata:
          name: %s
          namespace: team
          uid: %s-uid
          resourceVersion: "%d"
          labels: {training.kubeflow.org/job-name: mnist, training.kubeflow.org/replica-index: nonsense}
        spec: {nodeName: %s}
        status: {phase: %s}
        """
            .formatted(name, name, version, node, phase));
  }

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

  private static Recovery recovery(int version, String phase) {
    return object(
        Recovery.class,
        """
        metadata: {name: mnist-r1, namespace: team, uid: r, resourceVersion: "%d"}
        spec: {jobRef: {apiVersion: kubeflow.org/v1, kind: PyTorchJob, name: mnist, uid: u}}
        status: {phase: %s}
        """
            .formatted(version, phase));
  }

  @Test
  void shouldFindPodsByJobAndJobsByNode() {
    feeds.pods().present(pod("a", "n1", "Running", 1));
    feeds.pods().present(pod("b", "n2", "Pending", 2));
    assertThat(state.pods(JOB)).extracting(PodView::name).containsExactlyInAnyOrder("a", "b");
    assertThat(state.pods(JOB)).extracting(PodView::index).containsOnly(-1);
    assertThat(state.jobsOn("n1")).containsExactly(JOB);
    assertThat(state.jobsOn("n3")).isEmpty();
    feeds.pods().gone(pod("a", "", "Running", 3));
    assertThat(state.jobsOn("n1")).isEmpty();
    assertThat(told).containsExactly("job team/mnist", "job team/mnist", "job team/mnist");
  }

  @Test
  void shouldTellTheNodeAndTheJobsOnItWhenANodeChanges() {
    feeds.pods().present(pod("a", "n1", "Running", 1));
    told.clear();
    feeds.nodes().present(node("n1", false, 2, "2026-01-01T00:00:00Z"));
    assertThat(told).contains("node n1", "job team/mnist");
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
    told.clear();
    feeds.nodes().present(inBoot(3, "a", "2026-01-01T00:05:00Z"));
    assertThat(told).isEmpty();
    assertThat(state.node("n1")).map(NodeView::bootSince).contains(time("00:00:00"));
    feeds.nodes().present(inBoot(4, "b", "2026-01-01T00:07:00Z"));
    assertThat(told).contains("node n1");
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
    told.clear();
    feeds.nodes().present(sick(3, "False", "True", "2026-01-01T00:01:00Z"));
    assertThat(told).isEmpty();
    assertThat(state.node("n1").orElseThrow().signs().conditions())
        .extracting(ConditionReading::type)
        .containsExactly("GPUMissing");
    feeds.nodes().present(sick(4, "True", "True", "2026-01-01T00:01:00Z"));
    assertThat(told).contains("node n1");
  }

  @Test
  void shouldTellNothingWhenOnlyAHeartbeatCame() {
    feeds.nodes().present(node("n1", false, 2, "2026-01-01T00:00:00Z"));
    told.clear();
    feeds.nodes().present(node("n1", false, 3, "2026-01-01T00:05:00Z"));
    assertThat(told).isEmpty();
    feeds.nodes().present(node("n1", true, 4, "2026-01-01T00:05:00Z"));
    assertThat(told).contains("node n1");
  }

  @Test
  void shouldTellTheNodeOfAFaultAndTheJobsOnIt() {
    feeds.pods().present(pod("a", "n1", "Running", 1));
    told.clear();
    NodeFault fault =
        object(
            NodeFault.class,
            """
            metadata: {name: f, resourceVersion: "5"}
            spec: {node: n1, componentType: GPU, componentId: "0000:3b:00", code: XID-79, fence: Always,
              evidence: gone}
            """);
    feeds.faults().present(fault);
    assertThat(told).containsExactly("node n1", "job team/mnist");
    FaultView view = state.faults("n1").getFirst();
    assertThat(view.component()).isEqualTo("GPU 0000:3b:00");
    assertThat(view.fence()).isEqualTo(NodeFaultSpec.FenceGuidance.ALWAYS);
    assertThat(view.fences()).as("active without a status").isTrue();
    assertThat(view.count()).isOne();
  }

  @Test
  void shouldReadItsOwnWritesEvenWhenTheirEventsComeLate() {
    feeds.recoveries().present(recovery(10, "Detected"));
    state.stored(Views.recovery(recovery(12, "Draining")).orElseThrow());
    feeds.recoveries().present(recovery(11, "Fencing"));
    assertThat(state.recoveries(JOB))
        .extracting(RecoveryView::resourceVersion)
        .containsExactly("12");
    feeds.recoveries().present(recovery(13, "Planning"));
    assertThat(state.recoveries(JOB).getFirst().resourceVersion()).isEqualTo("13");
  }

  @Test
  void shouldKeepRanksOfAJobAndIgnoreThoseWithoutAStatus() {
    String report =
        """
        metadata: {name: %s, namespace: team, resourceVersion: "1"}
        spec: {pod: a, podUid: u, node: n1, job: mnist}
        %s
        """;
    feeds.ranks().present(object(RankReport.class, report.formatted("a-u.n1", "")));
    assertThat(state.ranks(JOB)).isEmpty();
    feeds
        .ranks()
        .present(
            object(
                RankReport.class,
                report.formatted("a-u.n1", "status: {restartCount: 2, lastStep: 7}")));
    assertThat(state.ranks(JOB)).extracting(RankView::lastStep).containsExactly(7L);
  }

  /** Admission keeps agents from each other's names; what has another name is no one's word. */
  @ParameterizedTest
  @ValueSource(strings = {"a-u", "a-u.n2", "a-u.x.n1", "b-u.n1"})
  void shouldIgnoreReportsThatHaveNotTheNameTheirNodeGivesThem(String name) {
    feeds
        .ranks()
        .present(
            object(
                RankReport.class,
                """
                metadata: {name: %s, namespace: team, resourceVersion: "1"}
                spec: {pod: a, podUid: u, node: n1, job: mnist}
                status: {restartCount: 2, lastStep: 7}
                """
                    .formatted(name)));
    assertThat(state.ranks(JOB)).isEmpty();
    String restart =
        """
        metadata: {name: %s, namespace: team, resourceVersion: "1"}
        spec: {order: mnist-r1-1, orderUid: u, node: n1, job: mnist}
        """;
    feeds.restarts().present(object(RestartReport.class, restart.formatted(name)));
    assertThat(state.restarts(JOB)).isEmpty();
    feeds.restarts().present(object(RestartReport.class, restart.formatted("mnist-r1-1.n1")));
    assertThat(state.restarts(JOB)).hasSize(1);
  }

  @Test
  void shouldLookAtEveryJobAgainWhenAPolicyChanges() {
    feeds
        .jobs()
        .present(
            object(
                PyTorchJob.class,
                "metadata: {name: mnist, namespace: team, resourceVersion: '1'}"));
    told.clear();
    assertThat(state.policy("default")).isEmpty();
    feeds
        .policies()
        .present(
            object(
                RecoveryPolicy.class,
                "metadata: {name: default, resourceVersion: '2'}\n"
                    + "spec: {detection: {stallSeconds: 70}}"));
    assertThat(state.policy("default")).map(Policy::stall).hasValue(Duration.ofSeconds(70));
    assertThat(told).containsExactly("job team/mnist");
  }

  @Test
  void shouldTreatAnObjectThatCannotBeReadAsAbsentAndGoOn() {
    RecoveryPolicy nonsense =
        object(
            RecoveryPolicy.class,
            "metadata: {name: default, resourceVersion: '2'}\nspec: {mode: whatever}");
    feeds.policies().present(nonsense);
    assertThat(state.policy("default")).isEmpty();
    feeds.pods().present(pod("a", "n1", "Running", 3));
    assertThat(state.pods(JOB)).hasSize(1);
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
    told.clear();
    state.taintRuleFeed().present("r1", "1", rule("", "pool-2", ""));
    state.taintRuleFeed().present("r2", "1", rule("other.example.com", "pool-1", ""));

    assertThat(told).contains("node n2").doesNotContain("job team/mnist");
    assertThat(state.deviceTaints("n1")).containsExactly(own);
    assertThat(state.deviceTaints("n2")).containsExactly(rule("", "pool-2", ""));
    state.taintRuleFeed().gone("r1", "2");
    assertThat(state.deviceTaints("n2")).isEmpty();
    assertThat(state.deviceTaints("n3")).isEmpty();
  }

  @Test
  void shouldLookAtANodeWhenAPodShowsItsDeviceAsUnhealthyAndWhenItLeaves() {
    feeds.pods().present(pod("p", "n1", "Running", 1));
    assertThat(told).doesNotContain("node n1");
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
    assertThat(told).contains("node n1");
    told.clear();
    feeds.pods().gone(sick);
    assertThat(told).contains("node n1");
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
