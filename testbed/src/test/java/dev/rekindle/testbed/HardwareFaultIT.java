package dev.rekindle.testbed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.rekindle.api.CheckpointVerdict;
import dev.rekindle.api.NodeFault;
import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.api.PinnedCheckpoint;
import dev.rekindle.api.Recovery;
import dev.rekindle.api.RecoveryStatus;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

/**
 * A GPU falls off the bus under a training job: from the fault to the outcome, as every component
 * shows it.
 */
@Order(1)
@OnTestbed
class HardwareFaultIT {
  private static final String FAULTY_GPU = "GPU-11111111-aaaa-bbbb-cccc-000000000001";
  private static final String OTHER_GPU = "GPU-22222222-aaaa-bbbb-cccc-000000000002";

  /** Networks as Spiderpool and Multus are given them; nothing here reads them. */
  private static final Map<String, String> NETWORKS =
      Map.of(
          "ipam.spidernet.io/ippools",
          "[{\"interface\":\"eth0\",\"ipv4\":[\"rail-0\"]}]",
          "v1.multus-cni.io/default-network",
          "kube-system/calico",
          "k8s.v1.cni.cncf.io/networks",
          "spiderpool/rail-0,spiderpool/rail-1");

  @Test
  void shouldTrainOnElsewhereFromTheCheckpointWhenAGpuFallsOffTheBus(Scene scene) {
    Map<Long, Double> undisturbed = Reference.losses(scene, 2);
    TrainingJob job =
        scene.job("xid79").workers(2).editTemplates(HardwareFaultIT::usersWishes).start();
    job.awaitStep(25);
    String faulty = job.nodeOf("worker-0");
    Set<String> old = job.placement().keySet();
    assertThat(job.placement().values()).as("a node for each rank").doesNotHaveDuplicates();
    TrainingJob neighbour = neighbour(scene, faulty);
    Set<String> beside = neighbour.placement().keySet();

    scene.cluster().inject(faulty, "NVRM: GPU at PCI:0000:3b:00: " + FAULTY_GPU);
    Instant record = scene.cluster().inject(faulty, Cluster.gpuOffTheBus());
    Recovery recovery = job.recoveries().awaitRecovered();
    long resumed = Objects.requireNonNull(Recoveries.outcome(recovery).resumedStep());
    job.awaitNewGenerationPast(resumed + 30, old);

    fault(scene, faulty);
    order(scene, job, faulty, record);
    ResumedPods.check(job, NETWORKS, faulty, recovery);
    training(job, old, resumed, undisturbed);
    story(job, recovery, faulty, old, resumed);
    events(job);
    assertThat(job.suspended()).isFalse();
    assertThat(job.annotation("rekindle.dev/suspended-by")).isEmpty();
    assertThat(neighbour.recoveries().all()).as("recoveries of the job with another GPU").isEmpty();
    neighbour.awaitProgress(5);
    assertThat(neighbour.placement().keySet()).isEqualTo(beside);
  }

  /** Another job on the node, whose pods show that they hold another of its GPUs. */
  private static TrainingJob neighbour(Scene scene, String node) {
    TrainingJob neighbour =
        scene
            .job("beside")
            .light()
            .sharingNodes()
            .onNodes(List.of(node))
            .editTemplates(
                template ->
                    template
                        .withObject("/metadata/annotations")
                        .put("hami.io/vgpu-devices-allocated", OTHER_GPU + ",NVIDIA,100,10:;"))
            .start();
    neighbour.awaitStep(5);
    return neighbour;
  }

  /** Alternatives for the node, networks: what must survive being patched. */
  private static void usersWishes(ObjectNode template) {
    ObjectNode annotations = template.withObject("/metadata/annotations");
    NETWORKS.forEach(annotations::put);
    template
        .withObject("/spec/affinity")
        .set(
            "nodeAffinity",
            new KubernetesSerialization()
                .unmarshal(
                    """
                    requiredDuringSchedulingIgnoredDuringExecution:
                      nodeSelectorTerms:
                      - matchExpressions:
                        - {key: kubernetes.io/os, operator: In, values: [linux]}
                      - matchExpressions:
                        - {key: kubernetes.io/arch, operator: Exists}
                    """,
                    ObjectNode.class));
  }

  private static void fault(Scene scene, String faulty) {
    List<NodeFault> faults = scene.cluster().faults(faulty);
    assertThat(faults).hasSize(1);
    assertThat(faults.getFirst().getSpec().code()).isEqualTo("XID-79");
    assertThat(faults.getFirst().getSpec().componentId()).isEqualTo("0000:3b:00");
    assertThat(faults.getFirst().getSpec().deviceUuid()).isEqualTo(FAULTY_GPU);
    assertThat(faults.getFirst().getSpec().fence()).isEqualTo(FenceGuidance.ALWAYS);
    assertThat(faults.getFirst().getSpec().evidence()).contains("GPU has fallen off the bus");
  }

  /** Cordoned, then suspended, then everything gone, then new pods: by etcd's own order. */
  private static void order(Scene scene, TrainingJob job, String faulty, Instant record) {
    Recorder.ObjectVersion<Node> cordon =
        scene.recorder().node(faulty).stream()
            .filter(s -> Cluster.fencedByUs(s.object()))
            .findFirst()
            .orElseThrow(() -> new AssertionError(faulty + " was not cordoned with our mark"));
    assertThat(Duration.between(record, cordon.at()))
        .as("at once: from the record in the log to the cordon")
        .isLessThan(Cluster.FENCED);
    assertThat(Cluster.annotations(cordon.object()))
        .containsKeys(Cluster.FENCED_BY, Cluster.FENCED_AT)
        .hasEntrySatisfying(Cluster.FENCE_REASON, why -> assertThat(why).contains("79"));

    long firstDeletion =
        scene.recorder().pods(job).stream()
            .filter(s -> s.gone() || s.object().getMetadata().getDeletionTimestamp() != null)
            .findFirst()
            .orElseThrow()
            .revision();
    assertThat(cordon.revision()).as("cordon before any deletion").isLessThan(firstDeletion);
    assertThat(scene.recorder().job(job))
        .as("suspended in the name of the recovery")
        .anySatisfy(
            s -> {
              assertThat(s.object().<Boolean>get("spec", "runPolicy", "suspend")).isTrue();
              assertThat(s.object().getMetadata().getAnnotations())
                  .containsKey("rekindle.dev/suspended-by");
            });
    List<Generations.Presence> generations = Generations.of(scene.recorder().pods(job));
    assertThat(generations).as("no pod existed between the two generations").hasSize(2);
    assertThat(generations).allSatisfy(g -> assertThat(g.attempts()).hasSize(1));
    assertThat(scene.cluster().nodes())
        .filteredOn(Cluster::unschedulable)
        .as("no other node is fenced")
        .extracting(n -> n.getMetadata().getName())
        .containsExactly(faulty);
  }

  private static void training(
      TrainingJob job, Set<String> old, long resumed, Map<Long, Double> undisturbed) {
    long reached = job.log().reached(s -> old.contains(s.uid()));
    assertThat(resumed).as("a checkpoint every 10 steps").isBetween(reached - 20, reached);
    List<TrainingLog.Step> after = job.log().steps(s -> !old.contains(s.uid()));
    assertThat(after.getFirst().step()).as("first step after the restart").isEqualTo(resumed + 1);
    Await.until(
        "every rank says what it resumed from",
        Duration.ofMinutes(1),
        () -> resumed(job, old).size() >= 3);
    assertThat(resumed(job, old))
        .hasSize(3)
        .allSatisfy(l -> assertThat(l.text()).endsWith("at step " + resumed));
    Instant lastOld = job.log().steps(s -> old.contains(s.uid())).getLast().time();
    assertThat(after.getFirst().time()).isAfter(lastOld);
    // Where a machine stands still for a while the job gets further than what there is to compare.
    List<TrainingLog.Step> known = job.log().steps(s -> undisturbed.containsKey(s.step()));
    assertThat(known).extracting(TrainingLog.Step::step).contains(1L, resumed + 1);
    for (TrainingLog.Step step : known) {
      assertThat(step.loss())
          .as("loss of step %d", step.step())
          .isCloseTo(undisturbed.get(step.step()), within(1e-5));
    }
  }

  private static List<LogLine> resumed(TrainingJob job, Set<String> old) {
    return job.log().lines().stream()
        .filter(l -> !old.contains(l.uid()) && l.text().startsWith("resumed from"))
        .toList();
  }

  private static void story(
      TrainingJob job, Recovery recovery, String faulty, Set<String> old, long resumed) {
    assertThat(Recoveries.phases(recovery)).containsExactlyElementsOf(Recoveries.STRAIGHT_ON);
    assertThat(Recoveries.status(recovery).timeline())
        .isSortedAccordingTo((a, b) -> a.time().compareTo(b.time()));
    RecoveryStatus.Cause cause = Recoveries.cause(recovery);
    assertThat(cause.reason()).isEqualTo("XID-79");
    assertThat(cause.faultyNodes()).containsExactly(faulty);
    assertThat(cause.evidence())
        .anySatisfy(
            e -> {
              assertThat(e.node()).isEqualTo(faulty);
              assertThat(e.text()).contains("GPU has fallen off the bus");
            });
    assertThat(cause.lastStep()).isNotNull();
    assertThat(Recoveries.plan(recovery).excludedNodes()).containsExactly(faulty);
    PinnedCheckpoint pin = Recoveries.checkpoint(recovery);
    assertThat(pin.verdict()).isEqualTo(CheckpointVerdict.VALID);
    assertThat(pin.level()).isEqualTo("L3");
    assertThat(pin.path()).isEqualTo("/ckpt/step-%08d.pt".formatted(resumed));
    RecoveryStatus.Outcome outcome = Recoveries.outcome(recovery);
    assertThat(outcome.resumedStep()).isEqualTo(pin.step());
    assertThat(outcome.firstStepAfter()).isEqualTo(resumed + 1);
    assertThat(outcome.downtimeSeconds()).isBetween(1.0, 300.0);
    assertThat(outcome.lostSteps()).isBetween(0L, 30L);
    assertThat(outcome.lostGpuSeconds()).as("the job asks for no GPU").isZero();
    assertThat(outcome.secondsPerPhase().keySet())
        .contains("Fencing", "Draining", "Planning", "Resuming", "Verifying");
    Map<String, String> conditions =
        Recoveries.status(recovery).conditions().stream()
            .collect(Collectors.toMap(Condition::getType, Condition::getStatus));
    assertThat(conditions).containsEntry("Complete", "True").containsEntry("Progressing", "False");
    assertThat(recovery.getSpec().jobUid()).isEqualTo(job.uid());
    assertThat(job.recoveries().all()).hasSize(1);
    assertThat(old).hasSize(3);
  }

  private static void events(TrainingJob job) {
    for (String reason :
        List.of(
            "RecoveryStarted",
            "NodeFenced",
            "GangDrained",
            "CheckpointPinned",
            "JobResumed",
            "JobRecovered")) {
      job.awaitEvent(reason);
    }
  }
}
