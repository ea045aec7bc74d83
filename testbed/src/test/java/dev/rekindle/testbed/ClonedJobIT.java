package dev.rekindle.testbed;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

/**
 * {@code kubectl get -o yaml}, another name, {@code kubectl apply}: with every mark of the first.
 */
@Order(7)
@OnTestbed
class ClonedJobIT {
  @Test
  void shouldRecoverACloneByItselfAndDeleteEachOfItsPodsOnce(Scene scene) {
    TrainingJob first = scene.job("first").light().start();
    first.awaitStep(15);
    Set<String> old = first.placement().keySet();
    String faulty = first.nodeOf("worker-0");
    scene.cluster().inject(faulty, Cluster.gpuOffTheBus());
    first.recoveries().awaitRecovered();
    first.awaitNewGenerationPast(first.log().reached(), old);
    assertThat(first.annotation("rekindle.dev/attempt").isPresent() || marksOfTemplates(first))
        .as("marks that a clone takes along")
        .isTrue();
    GenericKubernetesResource marked = first.object();
    first.delete();
    assertThat(CommandLine.rekindle("release", faulty, "--yes"))
        .contains("uncordon node/" + faulty);
    scene.cluster().awaitAllUsable();

    TrainingJob clone = scene.job("clone").startAs(marked);
    clone.awaitStep(15);
    Set<String> cloned = clone.placement().keySet();
    scene.cluster().inject(clone.nodeOf("worker-0"), Cluster.gpuOffTheBus());
    clone.recoveries().awaitRecovered();

    clone.awaitNewGenerationPast(clone.log().reached(), cloned);
    long gone = scene.recorder().pods(clone).stream().filter(Recorder.ObjectVersion::gone).count();
    assertThat(gone).as("pods of the clone that went").isEqualTo(cloned.size());
    assertThat(clone.recoveries().all()).hasSize(1);
    assertThat(Recoveries.plan(clone.recoveries().all().getFirst()).excludedNodes()).hasSize(1);
  }

  private static boolean marksOfTemplates(TrainingJob job) {
    return job
        .<Map<String, String>>get(
            "spec", "pytorchReplicaSpecs", "Worker", "template", "metadata", "annotations")
        .orElse(Map.of())
        .keySet()
        .stream()
        .anyMatch(key -> key.startsWith("rekindle.dev/"));
  }
}
