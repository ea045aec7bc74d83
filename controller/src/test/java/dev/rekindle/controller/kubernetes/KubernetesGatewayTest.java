package dev.rekindle.controller.kubernetes;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rekindle.api.JobRef;
import dev.rekindle.api.NodeFault;
import dev.rekindle.api.NodeFaultSpec;
import dev.rekindle.api.NodeFaultSpec.ComponentType;
import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.api.NodeFaultStatus.State;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoverySpec;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RestartInstruction;
import dev.rekindle.api.RestartOrder;
import dev.rekindle.api.RestartOrderSpec;
import dev.rekindle.controller.Given;
import dev.rekindle.controller.fencing.FenceSlotAllocator.Stored;
import dev.rekindle.controller.kubernetes.convert.InspectorJob;
import dev.rekindle.controller.model.ClusterEvent;
import dev.rekindle.controller.model.FenceLimit;
import dev.rekindle.controller.model.Inspection;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.Reason;
import dev.rekindle.controller.model.RecoveryView;
import dev.rekindle.controller.model.ResumeOrder;
import dev.rekindle.controller.port.Changes;
import dev.rekindle.controller.port.ClusterGateway.BreakerFullException;
import dev.rekindle.controller.port.ClusterGateway.StaleException;
import dev.rekindle.detect.fault.AffectedPod;
import dev.rekindle.detect.fault.FaultObservation;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.server.mock.EnableKubernetesMockClient;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.kubeflow.v1.PyTorchJob;

/**
 * Wiring against the mock API server, as far as the mock behaves like a real one. It keeps the
 * nulls of a merge patch, mixes lists up and takes a status of any version; pods, their deletion
 * and conflicts are tested on the testbed.
 */
@EnableKubernetesMockClient(crud = true)
class KubernetesGatewayTest {
  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
  private static final String OPTED_IN = "rekindle.dev/recover: 'true'";
  private static final JobKey JOB = new JobKey("team", "mnist");

  private static final Changes NOBODY =
      new Changes() {
        @Override
        public void job(JobKey key) {}

        @Override
        public void node(String name) {}
      };

  @SuppressWarnings("NullAway.Init") // set by the extension
  KubernetesClient client;

  private Instant now = NOW;

  private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();

  @SuppressWarnings("NullAway.Init") // set before each test
  private KubernetesCache state;

  @SuppressWarnings("NullAway.Init") // set before each test
  private KubernetesGateway gateway;

  @BeforeEach
  void setUp() {
    state =
        new KubernetesCache(client, NOBODY, timer, Duration.ofSeconds(30), false, _ -> _ -> true);
    gateway =
        new KubernetesGateway(
            client,
            new Circuits(() -> false),
            state,
            new InspectorJob("rekindle:1", "Never"),
            "rekindle-system",
            "pod-0",
            Runnable::run,
            () -> now);
  }

  @AfterEach
  void tearDown() {
    timer.shutdownNow();
  }

  private String job(String annotations, String suspend, String status) {
    PyTorchJob job =
        client
            .getKubernetesSerialization()
            .unmarshal(
                """
                apiVersion: kubeflow.org/v1
                kind: PyTorchJob
                metadata: {name: mnist, namespace: team, annotations: {%s}}
                spec:
                  future: {x: 1}
                  runPolicy: {suspend: %s}
                  pytorchReplicaSpecs:
                    Master: {template: {spec: {containers: [{name: pytorch, image: i}]}}}
                status: %s
                """
                    .formatted(annotations, suspend, status),
                PyTorchJob.class);
    return client.resource(job).create().getMetadata().getUid();
  }

  private PyTorchJob stored() {
    return client.resources(PyTorchJob.class).inNamespace("team").withName("mnist").get();
  }

  private static ResumeOrder order(String recovery) {
    return new ResumeOrder(
        recovery, recovery + "-1", List.of("n1"), Map.of(), "/ckpt/step-1.pt", 1L, "XID-79");
  }

  private RecoveryView draft() {
    return new RecoveryView(
        "team",
        "mnist-r1",
        "",
        "",
        new RecoverySpec(JobRef.pyTorchJob("mnist", "u"), NOW, null),
        null);
  }

  private static RecoveryStatus status(RecoveryPhase phase) {
    return new RecoveryStatus(phase, NOW, 1, null, null, null, null, List.of(), List.of());
  }

  @Test
  void shouldSuspendResumeAndSayItTwiceWithoutHarm() {
    String uid = job(OPTED_IN, "false", "{}");
    gateway.suspend(JOB, uid, "r1", "r1-1");
    gateway.suspend(JOB, uid, "r1", "r1-1");
    assertThat(stored().getSpec().getRunPolicy().getSuspend()).isTrue();
    assertThat(stored().getMetadata().getAnnotations())
        .containsEntry("rekindle.dev/suspended-by", "r1");
    gateway.resume(JOB, uid, order("r1"));
    gateway.resume(JOB, uid, order("r1"));
    assertThat(stored().getSpec().getRunPolicy().getSuspend()).isFalse();
    assertThat(stored().getMetadata().getAnnotations())
        .doesNotContainEntry("rekindle.dev/suspended-by", "r1")
        .containsEntry("rekindle.dev/excluded-nodes", "n1");
    assertThat(stored().getSpec().getAdditionalProperties()).containsKey("future");
  }

  @Test
  void shouldNotTakeAJobForSuspendedByUsOnTheWordOfACopiedMark() {
    String uid = job(OPTED_IN + ", rekindle.dev/suspended-by: r1", "true", "{}");
    assertThatThrownBy(() -> gateway.resume(JOB, uid, order("r1")))
        .isInstanceOf(StaleException.class);
    assertThat(stored().getSpec().getRunPolicy().getSuspend()).isTrue();
  }

  private static FaultObservation observation(String detector, FenceGuidance fence, Instant seen) {
    return new FaultObservation(
        new NodeFaultSpec(
            "n1",
            ComponentType.NODE,
            "",
            "COND-GPUMISSING",
            detector,
            fence,
            "investigate",
            "",
            seen,
            "condition GPUMissing is True"),
        FaultObservation.NO_SEQUENCE,
        seen,
        "",
        new AffectedPod("team", "mnist-master-0", "u"));
  }

  private NodeFault fault() {
    return client.resources(NodeFault.class).withName("n1.node.cond-gpumissing").get();
  }

  @Test
  void shouldWriteAFaultOnceHoweverOftenItIsRaised() {
    gateway.raise(observation("condition", FenceGuidance.ALWAYS, NOW));
    String version = fault().getMetadata().getResourceVersion();
    gateway.raise(observation("condition", FenceGuidance.ALWAYS, NOW));

    assertThat(fault().getMetadata().getResourceVersion()).isEqualTo(version);
    assertThat(fault().getMetadata().getLabels())
        .as("agents clear what carries their label")
        .isNullOrEmpty();
    assertThat(fault().getStatus().count()).isEqualTo(1);
    assertThat(fault().getStatus().incidents())
        .singleElement()
        .satisfies(i -> assertThat(i.pod()).isEqualTo("mnist-master-0"));
  }

  @Test
  void shouldClearAFaultOnceAndLetItStandAgain() {
    gateway.raise(observation("condition", FenceGuidance.ALWAYS, NOW));
    gateway.clear("n1.node.cond-gpumissing", "condition");
    String version = fault().getMetadata().getResourceVersion();
    gateway.clear("n1.node.cond-gpumissing", "condition");

    assertThat(fault().getMetadata().getResourceVersion()).isEqualTo(version);
    assertThat(fault().getStatus().state()).isEqualTo(State.CLEARED);
    assertThat(fault().getStatus().clearedBy()).isEqualTo("condition");
    assertThat(fault().getStatus().clearedAt()).isEqualTo(NOW);

    gateway.raise(observation("condition", FenceGuidance.ALWAYS, NOW.plusSeconds(60)));
    assertThat(fault().getStatus().state()).isEqualTo(State.ACTIVE);
    assertThat(fault().getStatus().count()).isEqualTo(2);
    assertThat(fault().getStatus().clearedBy()).isEmpty();
    assertThat(fault().getStatus().incidents()).as("one burst").hasSize(1);

    gateway.raise(observation("condition", FenceGuidance.ALWAYS, NOW.plusSeconds(600)));
    assertThat(fault().getStatus().incidents()).hasSize(2);
  }

  @Test
  void shouldCountWhatWasSeenBeforeAndFollowWhatItMeansNow() {
    gateway.raise(observation("condition", FenceGuidance.ALWAYS, NOW));
    gateway.raise(observation("condition", FenceGuidance.NEVER, NOW.plusSeconds(60)));

    assertThat(fault().getSpec().fence()).isEqualTo(FenceGuidance.NEVER);
    assertThat(fault().getSpec().firstSeen()).isEqualTo(NOW);
    assertThat(fault().getStatus().count()).isEqualTo(2);
    assertThat(fault().getStatus().lastSeen()).isEqualTo(NOW.plusSeconds(60));
  }

  @Test
  void shouldLeaveTheFaultsOfAgentsAlone() {
    gateway.raise(observation("kmsg", FenceGuidance.ALWAYS, NOW));
    String version = fault().getMetadata().getResourceVersion();
    gateway.raise(observation("condition", FenceGuidance.NEVER, NOW.plusSeconds(60)));
    gateway.clear("n1.node.cond-gpumissing", "condition");
    gateway.clear("n1.node.never-there", "condition");

    assertThat(fault().getMetadata().getResourceVersion()).isEqualTo(version);
  }

  @Test
  void shouldTellWhenAKubeletWasLastHeard() {
    Lease lease =
        new LeaseBuilder()
            .withNewMetadata()
            .withNamespace("kube-node-lease")
            .withName("n1")
            .endMetadata()
            .withNewSpec()
            .withRenewTime(NOW.atZone(ZoneOffset.UTC))
            .endSpec()
            .build();
    client.resource(lease).create();

    assertThat(gateway.lease("n1")).contains(NOW);
    assertThat(gateway.lease("n2")).isEmpty();
  }

  @Test
  void shouldNotTouchAJobThatIsNotTheOneMeant() {
    job(OPTED_IN, "false", "{}");
    assertThatThrownBy(() -> gateway.suspend(JOB, "other-uid", "r1", "r1-1"))
        .isInstanceOf(StaleException.class);
    assertThatThrownBy(() -> gateway.suspend(new JobKey("team", "none"), "u", "r1", "r1-1"))
        .isInstanceOf(StaleException.class);
    assertThat(stored().getSpec().getRunPolicy().getSuspend()).isFalse();
  }

  @Test
  void shouldNotTouchAJobThatItsUserSuspended() {
    String uid = job(OPTED_IN, "true", "{}");
    assertThatThrownBy(() -> gateway.suspend(JOB, uid, "r1", "r1-1"))
        .isInstanceOf(StaleException.class);
    assertThatThrownBy(() -> gateway.revive(JOB, uid, "r1")).isInstanceOf(StaleException.class);
    assertThatThrownBy(() -> gateway.resume(JOB, uid, order("r1")))
        .isInstanceOf(StaleException.class);
    assertThat(stored().getSpec().getRunPolicy().getSuspend()).isTrue();
  }

  @Test
  void shouldNotSuspendAJobThatOptedOutButResumeOneThatDidSoLater() {
    String uid = job("", "false", "{}");
    assertThatThrownBy(() -> gateway.suspend(JOB, uid, "r1", "r1-1"))
        .isInstanceOf(StaleException.class)
        .hasMessageContaining("opted out");
    assertThat(stored().getSpec().getRunPolicy().getSuspend()).isFalse();
    client.resource(stored()).delete();

    String later = job(OPTED_IN, "false", "{}");
    gateway.suspend(JOB, later, "r1", "r1-1");
    var _ =
        client
            .resource(stored())
            .edit(
                j -> {
                  j.getMetadata().getAnnotations().remove("rekindle.dev/recover");
                  return j;
                });
    gateway.suspend(JOB, later, "r2", "r2-1");
    gateway.resume(JOB, later, order("r2"));
    assertThat(stored().getSpec().getRunPolicy().getSuspend()).isFalse();
  }

  @Test
  void shouldNotSuspendAJobThatHasSucceeded() {
    String uid = job(OPTED_IN, "false", "{conditions: [{type: Succeeded, status: 'True'}]}");
    assertThatThrownBy(() -> gateway.suspend(JOB, uid, "r1", "r1-1"))
        .isInstanceOf(StaleException.class);
  }

  @Test
  void shouldReviveOnlyWhatItsRecoverySuspended() {
    String uid =
        job(
            OPTED_IN,
            "false",
            "{completionTime: '2026-01-01T00:00:00Z', conditions: [{type: Created, status: 'True'},"
                + " {type: Failed, status: 'True', future: 1}]}");
    gateway.suspend(JOB, uid, "r1", "r1-1");
    assertThatThrownBy(() -> gateway.revive(JOB, uid, "r2")).isInstanceOf(StaleException.class);
    gateway.revive(JOB, uid, "r1");
    assertThat(stored().getStatus().getCompletionTime()).isNull();
  }

  @Test
  void shouldReadItsOwnRecoveriesAtOnce() {
    RecoveryView opened = gateway.open(draft());
    assertThat(gateway.open(draft()).uid()).isEqualTo(opened.uid());
    assertThat(state.views().recoveries(JOB)).containsExactly(opened);
    RecoveryView saved = gateway.save(opened.with(status(RecoveryPhase.FENCING)));
    assertThat(state.views().recoveries(JOB)).containsExactly(saved);
    RecoveryView gone = new RecoveryView("team", "gone", "u", "1", saved.spec(), saved.status());
    assertThatThrownBy(() -> gateway.save(gone)).isInstanceOf(StaleException.class);
  }

  private void node(String name) {
    node(name, null);
  }

  /** Stored, and shown by the watch as it is now. */
  private void node(String name, @Nullable Boolean unschedulable) {
    Node node =
        client
            .resource(
                new NodeBuilder()
                    .withNewMetadata()
                    .withName(name)
                    .endMetadata()
                    .withNewSpec()
                    .withUnschedulable(unschedulable)
                    .endSpec()
                    .build())
            .create();
    boolean cordoned = Boolean.TRUE.equals(unschedulable);
    state
        .flat()
        .nodeFeed()
        .present(
            name,
            node.getMetadata().getResourceVersion(),
            Given.node(name, NodeView.Readiness.READY, NOW, cordoned, "")
                .withUid(node.getMetadata().getUid()));
  }

  private String uidOf(String node) {
    return client.nodes().withName(node).get().getMetadata().getUid();
  }

  private @Nullable ConfigMap places() {
    return client.configMaps().inNamespace("rekindle-system").withName("rekindle-fences").get();
  }

  @Test
  void shouldMoveAnOrderOnNeverBackAndTakeItBackTwiceWithoutHarm() {
    RecoveryView recovery = gateway.open(draft());
    gateway.order(recovery, "mnist-r1-1", restart(RestartInstruction.FREEZE));
    gateway.order(recovery, "mnist-r1-1", restart(RestartInstruction.RESTART_LEADER));
    gateway.order(recovery, "mnist-r1-1", restart(RestartInstruction.FREEZE));

    RestartOrder stored =
        client.resources(RestartOrder.class).inNamespace("team").withName("mnist-r1-1").get();
    assertThat(stored.getSpec().instruction()).isEqualTo(RestartInstruction.RESTART_LEADER);
    assertThat(stored.getMetadata().getGeneration()).as("writes").isLessThanOrEqualTo(2);
    assertThat(stored.getMetadata().getOwnerReferences())
        .singleElement()
        .satisfies(o -> assertThat(o.getName()).isEqualTo("mnist-r1"));

    gateway.withdraw(JOB, "mnist-r1-1");
    gateway.withdraw(JOB, "mnist-r1-1");
    assertThat(client.resources(RestartOrder.class).inNamespace("team").list().getItems())
        .isEmpty();
  }

  private static RestartOrderSpec restart(RestartInstruction instruction) {
    return new RestartOrderSpec(
        JobRef.pyTorchJob("mnist", "u"), "mnist-r1", instruction, "leader", NOW);
  }

  @Test
  void shouldTakeAPlaceInTheBreakerBeforeItCordonsAndGiveItBackAfterwards() {
    node("n1");
    node("n2");
    gateway.cordon("n1", "team/r1", "XID 79", FenceLimit.of(1));
    gateway.cordon("n1", "team/r1", "XID 79", FenceLimit.of(1));
    assertThat(requireNonNull(places()).getData())
        .containsOnly(Map.entry("n1", "team/r1@" + uidOf("n1") + " 2026-01-01T00:00:00Z"));
    assertThatThrownBy(() -> gateway.cordon("n2", "team/r2", "XID 79", FenceLimit.of(1)))
        .isInstanceOf(BreakerFullException.class)
        .hasMessageContaining("n1");
    assertThat(client.nodes().withName("n2").get().getSpec().getUnschedulable()).isNull();

    gateway.release("n1");
    assertThat(requireNonNull(places()).getData()).isNullOrEmpty();
    gateway.cordon("n2", "team/r2", "XID 79", FenceLimit.of(1));
    assertThat(client.nodes().withName("n2").get().getSpec().getUnschedulable()).isTrue();
  }

  @Test
  void shouldFreeThePlaceOfACordonThatNeverHappened() {
    node("n1");
    node("n2");
    client
        .resource(
            new ConfigMapBuilder()
                .withNewMetadata()
                .withNamespace("rekindle-system")
                .withName("rekindle-fences")
                .endMetadata()
                .withData(Map.of("n2", "team/r2 " + NOW, "gone", "team/r3 " + NOW))
                .build())
        .create();
    now = NOW.plusSeconds(59);
    assertThatThrownBy(() -> gateway.cordon("n1", "team/r1", "XID 79", FenceLimit.of(2)))
        .isInstanceOf(BreakerFullException.class);
    now = NOW.plusSeconds(61);
    gateway.cordon("n1", "team/r1", "XID 79", FenceLimit.of(2));
    assertThat(requireNonNull(places()).getData()).containsOnlyKeys("n1");
  }

  @Test
  void shouldWriteThePlacesOnlyOverTheVersionThatWasRead() {
    FenceStore store =
        new FenceStore(
            client,
            new Circuits(() -> false).of("configmaps"),
            state.views(),
            "rekindle-system",
            _ -> Optional.empty());
    Stored none = store.read();
    assertThat(none).isEqualTo(new Stored("", Map.of()));
    Optional<Stored> created = store.write(none, Map.of("n1", "r1"));
    assertThat(created).contains(store.read());
    assertThat(store.write(none, Map.of("n2", "r2"))).as("created by somebody else").isEmpty();

    Stored first = created.orElseThrow();
    assertThat(store.write(first, Map.of("n1", "r1", "n3", "r3"))).contains(store.read());
    assertThat(store.write(first, Map.of("n2", "r2"))).as("changed by somebody else").isEmpty();
    assertThat(store.read().slots()).containsOnlyKeys("n1", "n3");

    Stored second = store.read();
    client.resource(requireNonNull(places())).delete();
    assertThat(store.write(second, Map.of("n2", "r2"))).as("deleted by somebody").isEmpty();
  }

  @Test
  void shouldFenceAndReleaseANode() {
    node("n1");
    gateway.cordon("n1", "team/r1", "XID 79", FenceLimit.of(3));
    gateway.cordon("n1", "team/r2", "again", FenceLimit.of(3));
    Node fenced = client.nodes().withName("n1").get();
    assertThat(fenced.getSpec().getUnschedulable()).isTrue();
    assertThat(fenced.getMetadata().getAnnotations())
        .containsEntry("rekindle.dev/fenced-by", "team/r1")
        .containsEntry("rekindle.dev/fence-reason", "XID 79")
        .containsEntry("rekindle.dev/fenced-at", "2026-01-01T00:00:00Z");
    gateway.release("n1");
    Node released = client.nodes().withName("n1").get();
    assertThat(released.getSpec().getUnschedulable()).isNull();
    assertThat(released.getMetadata().getAnnotations()).doesNotContainValue("team/r1");
  }

  @Test
  void shouldLeaveTheCordonOfSomebodyElseAlone() {
    node("n1", true);
    gateway.cordon("n1", "team/r1", "XID 79", FenceLimit.of(3));
    gateway.release("n1");
    Node node = client.nodes().withName("n1").get();
    assertThat(node.getSpec().getUnschedulable()).isTrue();
    assertThat(node.getMetadata().getAnnotations()).isNullOrEmpty();
    assertThatThrownBy(() -> gateway.cordon("gone", "team/r1", "x", FenceLimit.of(3)))
        .isInstanceOf(StaleException.class);
    gateway.release("gone");
  }

  @Test
  void shouldCountAnEventUpWhenItIsSaidAgain() {
    ClusterEvent said = new ClusterEvent(JOB, "u", Reason.NODE_FENCED, "n1 was cordoned", "n1");
    gateway.recordEvent(said);
    gateway.recordEvent(said);
    var events = client.events().v1().events().inNamespace("team").list().getItems();
    assertThat(events).hasSize(1);
    assertThat(events.getFirst().getSeries().getCount()).isEqualTo(2);
  }

  @Test
  void shouldSayWhyNoInspectorCanBeStarted() {
    String uid = job(OPTED_IN, "false", "{}");
    assertThat(gateway.startInspector(JOB, uid, "r1"))
        .hasValueSatisfying(unable -> assertThat(unable.reason()).contains("does not say where"));
    assertThat(gateway.inspect(JOB, "r1")).isInstanceOf(Inspection.Absent.class);
    gateway.stopInspector(JOB, "r1");
  }
}
