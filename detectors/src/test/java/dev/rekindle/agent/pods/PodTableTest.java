package dev.rekindle.agent.pods;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.agent.Crud;
import dev.rekindle.detect.SteadyClock;
import dev.rekindle.detect.WatchedNamespaces;
import dev.rekindle.detect.pod.TrainingContainer;
import dev.rekindle.detect.pod.TrainingPod;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The pods of a node as a watch shows them. */
class PodTableTest {
  @Test
  void shouldKnowAPodByItsMetadataAndItsStatus() throws InterruptedException {
    var changes = new Semaphore(0);
    try (var crud = new Crud();
        var table =
            new PodTable(
                crud.client,
                "node-1",
                WatchedNamespaces.ALL,
                changes::release,
                SteadyClock.system())) {
      crud.client.resource(pod("Pending", "")).create();
      await(changes);
      assertThat(table.all())
          .singleElement()
          .satisfies(
              pod -> {
                assertThat(pod.jobUid()).isEqualTo("job-uid");
                assertThat(pod.finished()).isFalse();
                assertThat(pod.container()).isEqualTo(TrainingContainer.NONE);
                assertThat(pod.devices()).isEmpty();
              });
      crud.client.resource(pod("Running", "containerd://abc")).update();
      await(changes);
      assertThat(table.all())
          .singleElement()
          .satisfies(
              pod -> {
                assertThat(pod.container()).isEqualTo(new TrainingContainer("abc", 3, true));
                assertThat(pod.devices()).containsExactly("GPU-a");
              });
      crud.client.resource(pod("Running", "containerd://abc")).delete();
      await(changes);
      assertThat(table.all()).isEmpty();
      assertThat(table.takeGone())
          .extracting(pod -> pod.container().id())
          .isEqualTo(List.of("abc"));
    }
  }

  /** A watch by labels cannot distinguish the one from the other. */
  @Test
  void shouldDistinguishAPodThatLostItsLabelFromOneThatIsGone() throws Exception {
    var changes = new Semaphore(0);
    try (var crud = new Crud();
        var table =
            new PodTable(
                crud.client,
                "node-1",
                WatchedNamespaces.ALL,
                changes::release,
                SteadyClock.system())) {
      crud.client.resource(pod("Running", "containerd://abc")).create();
      await(changes);
      var seen = table.all().iterator().next();
      var bare = pod("Running", "containerd://abc");
      bare.getMetadata().setLabels(Map.of());
      crud.client.resource(bare).update();
      assertThat(table.check(seen)).isEqualTo(DeletionCheck.Answer.THERE);
      crud.client.resource(bare).delete();
      assertThat(table.check(seen)).isEqualTo(DeletionCheck.Answer.GONE);
      crud.client.resource(pod("Running", "containerd://def")).create();
      assertThat(table.check(seen)).as("another of its name").isEqualTo(DeletionCheck.Answer.GONE);
    }
  }

  @Test
  void shouldSeePodsOfTheWatchedNamespacesAlone() throws Exception {
    var changes = new Semaphore(0);
    try (var crud = new Crud();
        var table =
            new PodTable(
                crud.client,
                "node-1",
                WatchedNamespaces.parse("team,other"),
                changes::release,
                SteadyClock.system())) {
      var elsewhere = pod("Running", "containerd://else");
      elsewhere.getMetadata().setNamespace("elsewhere");
      crud.client.resource(elsewhere).create();
      var other = pod("Running", "containerd://other");
      other.getMetadata().setNamespace("other");
      other.getMetadata().setUid("another");
      crud.client.resource(other).create();
      crud.client.resource(pod("Running", "containerd://abc")).create();
      await(changes);
      await(changes);
      assertThat(table.isSynced()).isTrue();
      assertThat(table.all())
          .extracting(TrainingPod::namespace)
          .containsExactlyInAnyOrder("team", "other");
    }
  }

  private static void await(Semaphore changes) throws InterruptedException {
    assertThat(changes.tryAcquire(10, TimeUnit.SECONDS)).as("a change within 10 s").isTrue();
  }

  private static Pod pod(String phase, String container) {
    var pod =
        new PodBuilder()
            .withNewMetadata()
            .withNamespace("team")
            .withName("job-worker-0")
            .addToLabels(TrainingPod.OPERATOR_LABEL, TrainingPod.OPERATOR)
            .addToLabels(TrainingPod.JOB_LABEL, "job")
            .addNewOwnerReference()
            .withKind("ConfigMap")
            .withUid("other-uid")
            .withController(true)
            .endOwnerReference()
            .addNewOwnerReference()
            .withKind("PyTorchJob")
            .withUid("job-uid")
            .withController(true)
            .endOwnerReference()
            .endMetadata()
            .withNewSpec()
            .withNodeName("node-1")
            .endSpec()
            .withNewStatus()
            .withPhase(phase)
            .endStatus();
    return container.isEmpty()
        ? pod.build()
        : pod.editStatus()
            .addNewContainerStatus()
            .withName("pytorch")
            .withContainerID(container)
            .withRestartCount(3)
            .withNewState()
            .withNewRunning("2026-01-01T00:00:00Z")
            .endState()
            .addNewAllocatedResourcesStatus()
            .withName("nvidia.com/gpu")
            .addNewResource("Healthy", "", "GPU-a")
            .endAllocatedResourcesStatus()
            .endContainerStatus()
            .endStatus()
            .build();
  }
}
