package dev.rekindle.controller.kubernetes;

import static dev.rekindle.controller.Given.T0;
import static dev.rekindle.controller.Given.fault;
import static dev.rekindle.controller.Given.node;
import static dev.rekindle.controller.Given.recovery;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RecoveryStatus.Cause;
import dev.rekindle.controller.Given;
import dev.rekindle.controller.cache.FlatState;
import dev.rekindle.controller.checkpoint.CheckpointReach;
import dev.rekindle.controller.kubernetes.convert.InspectedNodes;
import dev.rekindle.controller.kubernetes.convert.InspectorJob;
import dev.rekindle.controller.kubernetes.convert.JobReader;
import dev.rekindle.controller.model.Amounts;
import dev.rekindle.controller.model.FaultView;
import dev.rekindle.controller.model.Inspection;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.NodeView.Readiness;
import dev.rekindle.controller.model.PodNeeds;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.model.RecoveryView;
import dev.rekindle.controller.port.Changes;
import dev.rekindle.controller.port.ClusterState;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.PodAffinityTerm;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.kubeflow.v1.PyTorchJob;

/** Where the inspector of a job is started, by the volume of its checkpoints. */
class InspectorCallsTest extends GatewayFixture {
  private static final Instant NOW = T0.plus(Duration.ofHours(3));

  private List<NodeView> nodes = nodes("READY");
  private List<PodView> pods = List.of();

  private static List<NodeView> nodes(String ofOne) {
    return List.of(
        labelled(node("node-0")),
        labelled(node("node-1", Readiness.valueOf(ofOne), T0, false, "")));
  }

  private static NodeView labelled(NodeView node) {
    return node.withLabels(Map.of("kubernetes.io/hostname", node.name()));
  }

  /** Shows the nodes, and nothing else. */
  private ClusterState state() {
    return (ClusterState)
        Proxy.newProxyInstance(
            InspectorCallsTest.class.getClassLoader(),
            new Class<?>[] {ClusterState.class},
            (_, method, args) ->
                switch (method.getName()) {
                  case "nodes" -> nodes;
                  case "recoveries" -> List.of();
                  case "pods" -> pods;
                  case "node" -> nodes.stream().filter(n -> n.name().equals(args[0])).findFirst();
                  default -> Optional.empty();
                });
  }

  @SuppressWarnings("unchecked") // An object of JSON has texts for keys.
  private JobCalls.Live job(String annotations, String selector, String volume) {
    PyTorchJob job =
        client
            .getKubernetesSerialization()
            .unmarshal(
                """
                apiVersion: kubeflow.org/v1
                kind: PyTorchJob
                metadata:
                  name: mnist
                  namespace: team
                  uid: u
                  annotations: {rekindle.dev/recover: 'true', rekindle.dev/checkpoint: /ckpt%s}
                spec:
                  pytorchReplicaSpecs:
                    Master:
                      template:
                        spec:
                          nodeSelector: {%s}
                          containers:
                          - {name: pytorch, volumeMounts: [{name: c, mountPath: /ckpt}]}
                          volumes: [{name: c, %s}]
                """
                    .formatted(annotations, selector, volume),
                PyTorchJob.class);
    return new JobCalls.Live(
        JobReader.read(job), client.getKubernetesSerialization().convertValue(job, Map.class));
  }

  private InspectorCalls calls() {
    return calls(state());
  }

  private InspectorCalls calls(ClusterState state) {
    return new InspectorCalls(
        client,
        new Circuits(() -> false),
        state,
        new InspectorJob("rekindle:1", "Never"),
        InstantSource.fixed(NOW));
  }

  /** A node with a fault of its first boot, and a recovery that blames it. */
  private static ClusterState blamed(String boot) {
    FlatState state = new FlatState(Changes.to(_ -> {}, _ -> {}, _ -> {}));
    Instant since = NOW.minus(Duration.ofHours(1));
    NodeView node = node("node-1", Readiness.READY, since, false, "");
    state
        .nodeFeed()
        .present("node-1", "1", node.with(b -> b.bootId(boot).bootSince(since).uid("")));
    state.policyFeed().present("default", "1", Policy.DEFAULT);
    FaultView fault = fault("node-1", "XID-79", FenceGuidance.ALWAYS);
    state.faultFeed().present(fault.name(), "1", fault);
    Cause cause = new Cause("XID-79", "", List.of(), List.of("node-1"), List.of(), List.of(), 42L);
    RecoveryView recovery =
        recovery(
            "demo-r1",
            T0,
            new RecoveryStatus(
                    RecoveryPhase.PLANNING, T0, 1, null, null, null, null, List.of(), List.of())
                .withCause(cause));
    state.recoveryFeed().present("team/demo-r1", "1", recovery);
    return state;
  }

  /** Seed 94747033: a node that has the only copy, and was rebooted, was never inspected. */
  @Test
  void shouldAvoidABlamedNodeUntilARebootHasClearedItsFault() {
    JobKey key = new JobKey("team", "demo");

    assertThat(calls(blamed("boot-1")).unfit().hostnames(key, "demo-r1"))
        .containsExactly("node-1.host");
    assertThat(calls(blamed("boot-2")).unfit().hostnames(key, "demo-r1")).isEmpty();
  }

  private void create(String object) {
    client.resource((HasMetadata) client.getKubernetesSerialization().unmarshal(object)).create();
  }

  private void claim() {
    create(
        """
        apiVersion: v1
        kind: PersistentVolumeClaim
        metadata: {name: data, namespace: team}
        spec: {volumeName: pv-7}
        """);
    create(
        """
        apiVersion: v1
        kind: PersistentVolume
        metadata: {name: pv-7}
        spec:
          csi: {driver: lvm.hwameistor.io, volumeHandle: pv-7}
          nodeAffinity:
            required:
              nodeSelectorTerms:
              - matchExpressions:
                - {key: kubernetes.io/hostname, operator: In, values: [node-1]}
        """);
  }

  private boolean started() {
    return client.batch().v1().jobs().inNamespace("team").withName("r1-inspect").get() != null;
  }

  /** A claim on a path of the host: each node has files of its own, whatever the claim says. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      nullValues = "-",
      value = {
        // annotation | selector of the job | nodes of the volume | started
        "- | - | - | false",
        "- | kubernetes.io/hostname: node-1 | - | true",
        "- | - | node-1 | true",
        "- | - | node-0, node-1 | false",
        "- | kubernetes.io/hostname: node-0 | node-0, node-1 | true",
        ", rekindle.dev/checkpoint-shared: 'true' | - | - | true",
        ", rekindle.dev/checkpoint-shared: 'true' | - | node-0, node-1 | true",
      })
  void shouldJudgeAClaimOnAPathOfTheHostOnlyWhereOneNodeCanHaveWrittenIt(
      String annotation, String selector, String having, boolean starts) {
    create(
        """
        apiVersion: v1
        kind: PersistentVolumeClaim
        metadata: {name: data, namespace: team}
        spec: {volumeName: pv-7}
        """);
    String affinity =
        having == null
            ? "{}"
            : "{required: {nodeSelectorTerms: [{matchExpressions: [{key: kubernetes.io/hostname,"
                + " operator: In, values: [%s]}]}]}}".formatted(having);
    create(
        """
        apiVersion: v1
        kind: PersistentVolume
        metadata: {name: pv-7}
        spec: {hostPath: {path: /data}, nodeAffinity: %s}
        """
            .formatted(affinity));

    var unable =
        calls()
            .start(
                job(
                    annotation == null ? "" : annotation,
                    selector == null ? "" : selector,
                    "persistentVolumeClaim: {claimName: data}"),
                "r1");

    assertThat(started()).isEqualTo(starts);
    if (starts) {
      assertThat(unable).isEmpty();
    } else {
      assertThat(unable)
          .hasValueSatisfying(
              why ->
                  assertThat(why.reason()).contains("it is not known on which nodes the job was"));
    }
  }

  @Test
  void shouldHoldWhileTheNodeOfALocalVolumeIsAwayAndStartWhenItIsBack() {
    claim();
    InspectorCalls calls = calls();
    JobCalls.Live job = job("", "", "persistentVolumeClaim: {claimName: data}");
    nodes = nodes("SILENT");

    assertThat(calls.start(job, "r1"))
        .hasValueSatisfying(
            unable -> {
              assertThat(unable.away()).isTrue();
              assertThat(unable.reason()).contains("claim data (lvm.hwameistor.io)", "node-1");
            });
    assertThat(started()).isFalse();

    nodes = nodes("READY");
    assertThat(calls.start(job, "r1")).isEmpty();
    assertThat(started()).isTrue();

    // It goes away again before the inspector has reported.
    nodes = nodes("SILENT");
    assertThat(calls.inspect(JOB, "r1"))
        .isInstanceOfSatisfying(
            Inspection.Unable.class, unable -> assertThat(unable.away()).isTrue());
    nodes = nodes("READY");
    assertThat(calls.inspect(JOB, "r1")).isInstanceOf(Inspection.Pending.class);
  }

  /** The log of an inspector goes with its node; what it has reported counts. */
  @Test
  void shouldNotWaitForAnInspectorWhoseVolumeIsOutOfReach() {
    InspectedVolumes volumes = new InspectedVolumes(state(), new UnfitNodes(state(), () -> NOW));
    PodNeeds onOne =
        new PodNeeds(
            Amounts.NONE, Map.of("kubernetes.io/hostname", "node-1"), List.of(), List.of(), false);
    volumes.bind(JOB, "r1", Optional.of(new CheckpointReach.Volume("claim data", "local", onOne)));
    var scanning = new Inspection.Pending("the first scan is under way");
    var report = new Inspection.Report(1, List.of(), "");

    assertThat(volumes.orAway(JOB, "r1", scanning)).isEqualTo(scanning);
    nodes = nodes("SILENT");
    assertThat(volumes.orAway(JOB, "r1", scanning))
        .isInstanceOfSatisfying(
            Inspection.Unable.class, unable -> assertThat(unable.away()).isTrue());
    assertThat(volumes.orAway(JOB, "r1", report)).isEqualTo(report);
  }

  @Test
  void shouldStartWhereNothingIsKnownOfTheVolume() {
    nodes = nodes("SILENT");

    assertThat(calls().start(job("", "", "persistentVolumeClaim: {claimName: none}"), "r1"))
        .isEmpty();
    assertThat(started()).isTrue();
  }

  /** Of a path of the host, the node that the job names has the files that count. */
  @ParameterizedTest
  @CsvSource({
    "kubernetes.io/hostname: node-1, '', READY, true, ''",
    "kubernetes.io/hostname: node-1, '', SILENT, false, the path of the host at /ckpt (hostPath)",
    "'', '', READY, false, it is not known on which nodes the job was",
    "'', ', rekindle.dev/checkpoint-shared: \"true\"', READY, true, ''",
  })
  void shouldInspectAPathOfTheHostOnTheNodeThatHasIt(
      String selector, String annotations, String state, boolean starts, String reason) {
    nodes = nodes(state);

    var unable = calls().start(job(annotations, selector, "hostPath: {path: /x}"), "r1");

    assertThat(started()).isEqualTo(starts);
    assertThat(unable.map(Inspection.Unable::reason).orElse("")).contains(reason);
    assertThat(unable.map(Inspection.Unable::away).orElse(false)).isEqualTo(state.equals("SILENT"));
  }

  /** Another pod is made where the first one ended: what the first one is says nothing more. */
  @Test
  void shouldWaitForThePodThatIsThereAndNotForOneThatFailed() {
    claim();
    InspectorCalls calls = calls();
    assertThat(calls.start(job("", "", "persistentVolumeClaim: {claimName: data}"), "r1"))
        .isEmpty();
    for (var pod : Map.of("a", "Failed", "b", "Pending", "c", "Failed").entrySet()) {
      create(
          """
          apiVersion: v1
          kind: Pod
          metadata: {name: %s, namespace: team, labels: {%s: r1-inspect}}
          spec: {nodeName: node-1}
          status: {phase: %s}
          """
              .formatted(pod.getKey(), InspectorCalls.JOB_LABEL, pod.getValue()));
    }

    assertThat(calls.inspect(JOB, "r1"))
        .isEqualTo(new Inspection.Pending("the inspector's pod is Pending"));
  }

  private static PodView pod(String role, int index, String node) {
    return Given.gang("").getFirst().with(b -> b.jobUid("u").role(role).index(index).node(node));
  }

  private Job inspector() {
    return client.batch().v1().jobs().inNamespace("team").withName("r1-inspect").get();
  }

  /** Each node has files of its own: one pod on each that the gang was on. */
  @Test
  void shouldScanOnEachNodeOfTheGang() {
    pods = List.of(pod("master", 0, "node-0"), pod("master", 1, "node-1"));

    assertThat(calls().start(job("", "", "hostPath: {path: /x}"), "r1")).isEmpty();

    var spec = inspector().getSpec();
    assertThat(spec.getParallelism()).isEqualTo(2);
    assertThat(spec.getCompletions()).isEqualTo(2);
    assertThat(spec.getBackoffLimit()).as("each may fail once").isEqualTo(2);
    PodSpec pod = spec.getTemplate().getSpec();
    assertThat(pod.getNodeSelector()).isNullOrEmpty();
    assertThat(
            pod.getAffinity()
                .getNodeAffinity()
                .getRequiredDuringSchedulingIgnoredDuringExecution()
                .getNodeSelectorTerms()
                .getFirst()
                .getMatchExpressions()
                .getFirst()
                .getValues())
        .containsExactly("node-0.host", "node-1.host");
    PodAffinityTerm apart =
        pod.getAffinity()
            .getPodAntiAffinity()
            .getRequiredDuringSchedulingIgnoredDuringExecution()
            .getFirst();
    assertThat(apart.getTopologyKey()).isEqualTo("kubernetes.io/hostname");
    assertThat(apart.getLabelSelector().getMatchLabels())
        .containsEntry("batch.kubernetes.io/job-name", "r1-inspect");
    assertThat(InspectedNodes.of(inspector()))
        .hasValue(new InspectedNodes(List.of("node-0", "node-1"), List.of(), List.of()));
  }

  @Test
  void shouldLeaveOutANodeThatIsAway() {
    pods = List.of(pod("master", 0, "node-0"), pod("master", 1, "node-1"));
    nodes = nodes("SILENT");

    assertThat(calls().start(job("", "", "hostPath: {path: /x}"), "r1")).isEmpty();

    assertThat(InspectedNodes.of(inspector()))
        .hasValue(new InspectedNodes(List.of("node-0"), List.of(), List.of("node-1")));
  }

  /** Where one of a gang cannot show whether the path is the same storage on all, another can. */
  @Test
  void shouldScanAnotherNodeWhereEachOfTheGangIsAway() {
    pods = List.of(pod("master", 0, "node-1"));
    nodes = nodes("SILENT");

    assertThat(calls().start(job("", "", "hostPath: {path: /x}"), "r1")).isEmpty();

    assertThat(InspectedNodes.of(inspector()))
        .hasValue(new InspectedNodes(List.of("node-0"), List.of(), List.of("node-1")));
  }

  @Test
  void shouldNotStartWhereEachNodeIsAwayAndNoOtherTakesPods() {
    pods = List.of(pod("master", 0, "node-1"));
    nodes = nodes("SILENT").stream().map(n -> n.withUnschedulable(true)).toList();

    assertThat(calls().start(job("", "", "hostPath: {path: /x}"), "r1"))
        .hasValueSatisfying(
            why ->
                assertThat(why.reason()).contains("no node of the job can be inspected: node-1"));
    assertThat(started()).isFalse();
  }
}
