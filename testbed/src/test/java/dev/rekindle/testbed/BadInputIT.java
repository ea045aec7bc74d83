package dev.rekindle.testbed;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.rekindle.api.NodeFault;
import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.api.Recovery;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

/** Nonsense from outside: reported, and nothing else stops. */
@Order(8)
@OnTestbed
class BadInputIT {
  private static final String PYTORCHJOBS = "pytorchjobs.kubeflow.org";
  private static final String ANY_NODE = "node-3";

  @Test
  void shouldReadOnAfterRecordsThatMakeNoSense(Scene scene) {
    Map<String, Integer> before = restarts(scene);
    scene.cluster().injectRaw(ANY_NODE, "this is no record\n");
    scene.cluster().injectRaw(ANY_NODE, "4,x,y,-;NVRM: Xid (PCI:0000:3b:00): 79, pid=1, lost\n");
    scene.cluster().injectRaw(ANY_NODE, "4,1;" + "x".repeat(20_000) + "\n");
    scene.cluster().injectRaw(ANY_NODE, "\u0000\u0001\u0002,,,;;;\n");
    scene.cluster().inject(ANY_NODE, "NVRM: Xid (PCI:0000:3b:00): many, pid=1, what is this");
    scene.cluster().inject(ANY_NODE, Cluster.xid(999, "something of the future"));

    NodeFault fault = scene.cluster().awaitFault(ANY_NODE, "XID-999");
    assertThat(fault.getSpec().action()).isEqualTo("investigate");
    assertThat(fault.getSpec().fence()).isNotEqualTo(FenceGuidance.ALWAYS);
    assertThat(fault.getSpec().evidence()).contains("something of the future");
    assertThat(scene.cluster().faults(ANY_NODE)).as("only what can be read").hasSize(1);
    assertThat(Cluster.unschedulable(scene.cluster().node(ANY_NODE))).isFalse();
    noneCrashed(scene, before);
  }

  @Test
  void shouldReportAnAnnotationThatMakesNoSenseAndLeaveTheJobAlone(Scene scene) {
    Map<String, Integer> before = restarts(scene);
    TrainingJob confused =
        scene
            .job("confused")
            .light()
            .annotation("rekindle.dev/stall-timeout", "after lunch")
            .start();
    String note = confused.awaitEvent("InvalidAnnotation");
    assertThat(note).contains("rekindle.dev/stall-timeout", "after lunch");
    confused.awaitStep(10);
    String faulty = confused.nodeOf("worker-0");
    scene.cluster().inject(faulty, Cluster.gpuOffTheBus());
    scene.cluster().awaitFault(faulty, "XID-79");
    Await.never(
        "a recovery of the confused job",
        Duration.ofSeconds(5),
        () ->
            !confused.recoveries().all().isEmpty()
                || Cluster.unschedulable(scene.cluster().node(faulty)));
    noneCrashed(scene, before);
  }

  /**
   * The job has fields that are unknown to every version of ours, and none of those that the
   * operator would fill in: the same fault must lead to the same recovery, and what is unknown must
   * survive it.
   */
  @Test
  void shouldRecoverAJobWithUnknownFieldsAndWithoutDefaults(Scene scene) {
    keepUnknownFields(scene);
    TrainingJob job = scene.job("future").edit(BadInputIT::ofTheFuture).start();
    job.awaitStep(15);
    assertThat(job.<String>get("spec", "horizon", "shape")).as("stored as it is").hasValue("torus");
    Set<String> old = job.placement().keySet();
    String faulty = job.nodeOf("worker-0");

    scene.cluster().inject(faulty, Cluster.gpuOffTheBus());
    Recovery recovery = job.recoveries().awaitRecovered();
    long reached = job.log().reached(s -> old.contains(s.uid()));
    job.awaitNewGenerationPast(reached, old);

    assertThat(Recoveries.plan(recovery).excludedNodes()).containsExactly(faulty);
    assertThat(job.<String>get("spec", "horizon", "shape")).hasValue("torus");
    assertThat(job.<Integer>get("spec", "runPolicy", "patience")).hasValue(7);
    assertThat(job.<List<?>>get("spec", "pytorchReplicaSpecs", "Worker", "spares"))
        .hasValueSatisfying(spares -> assertThat(spares).hasSize(2));
    assertThat(job.get("spec", "pytorchReplicaSpecs", "Master", "replicas"))
        .as("no defaults were written into it")
        .isEmpty();
  }

  private static void ofTheFuture(ObjectNode job) {
    ObjectNode spec = (ObjectNode) job.get("spec");
    spec.putObject("horizon").put("shape", "torus");
    spec.putObject("runPolicy").put("patience", 7);
    ObjectNode master = (ObjectNode) spec.at("/pytorchReplicaSpecs/Master");
    master.remove(List.of("replicas", "restartPolicy"));
    ObjectNode worker = (ObjectNode) spec.at("/pytorchReplicaSpecs/Worker");
    worker.remove(List.of("replicas", "restartPolicy"));
    worker.putArray("spares").add("a").add("b");
  }

  /**
   * The API server drops what a schema does not name. A schema that keeps it stands for the one of
   * a later operator.
   */
  private static void keepUnknownFields(Scene scene) {
    patchSchema(scene, "add");
    scene.onCleanUp(() -> patchSchema(scene, "remove"));
    // The API server takes a moment to serve a changed schema.
    Await.until(
        "unknown fields are kept",
        Duration.ofMinutes(1),
        () -> kept(scene.job("probe").edit(BadInputIT::ofTheFuture).stored()));
  }

  private static boolean kept(GenericKubernetesResource job) {
    return job.get("spec", "horizon", "shape") != null
        && job.get("spec", "runPolicy", "patience") != null
        && job.get("spec", "pytorchReplicaSpecs", "Worker", "spares") != null;
  }

  private static void patchSchema(Scene scene, String operation) {
    String spec = "/spec/versions/0/schema/openAPIV3Schema/properties/spec";
    String patch =
        Stream.of(
                "", "/properties/runPolicy", "/properties/pytorchReplicaSpecs/additionalProperties")
            .map(
                part ->
                    """
                    {"op": "%s", "path": "%s%s/x-kubernetes-preserve-unknown-fields", "value": true}\
                    """
                        .formatted(operation, spec, part))
            .collect(Collectors.joining(", ", "[", "]"));
    scene
        .client()
        .apiextensions()
        .v1()
        .customResourceDefinitions()
        .withName(PYTORCHJOBS)
        .patch(PatchContext.of(PatchType.JSON), patch);
  }

  /**
   * Of those that are there: one that an earlier test has replaced may still have been ending. A
   * controller that has lost its lease exits, which is no crash.
   */
  private static void noneCrashed(Scene scene, Map<String, Integer> before) {
    int more =
        restarts(scene).entrySet().stream()
            .mapToInt(now -> now.getValue() - before.getOrDefault(now.getKey(), 0))
            .sum();
    assertThat(more).as("containers that crashed").isBetween(0, scene.leaderChanges());
  }

  private static Map<String, Integer> restarts(Scene scene) {
    return scene.client().pods().inNamespace(ControllerProcess.NAMESPACE).list().getItems().stream()
        .collect(
            Collectors.toMap(p -> p.getMetadata().getUid(), BadInputIT::restarts, Integer::sum));
  }

  private static int restarts(Pod pod) {
    return pod.getStatus().getContainerStatuses().stream().mapToInt(s -> s.getRestartCount()).sum();
  }
}
