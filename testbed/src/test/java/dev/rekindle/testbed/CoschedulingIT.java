package dev.rekindle.testbed;

import static java.time.temporal.ChronoUnit.MILLIS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.Recovery;
import dev.rekindle.api.RestartWay;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

/** Gangs that the real scheduler plugin Coscheduling places, with PodGroups of the operator. */
@Order(15)
@OnTestbed
class CoschedulingIT {
  private static final Duration UP = Duration.ofMinutes(15);

  @Test
  void shouldReplaceAPodOfAGangAndThenRebuildIt(Scene scene) {
    scene.onCleanUp(
        () -> Testbed.command(UP, "testbed", "up", "--bare", "--without", "coscheduling"));
    Testbed.command(UP, "testbed", "up", "--bare", "--with", "coscheduling");
    TrainingJob job = scene.job("group").workers(2).inPlace().start();
    job.awaitStep(25);
    assertThat(job.pods())
        .as("placed as a gang")
        .allSatisfy(
            p ->
                assertThat(p.getMetadata().getLabels())
                    .containsEntry("scheduling.x-k8s.io/pod-group", job.name()));
    InPlaceRun run = InPlaceRun.of(scene, job);

    scene.cluster().inject(job.nodeOf("worker-0"), Cluster.gpuOffTheBus());
    Recovery recovery = job.recoveries().awaitRecovered();
    run.awaitPast(20);
    Testbed.log("with Coscheduling, in place: %s".formatted(Recoveries.took(recovery)));

    assertThat(Recoveries.plan(recovery).restart()).isEqualTo(RestartWay.IN_PLACE);
    run.survived(job.podNames("master-0", "worker-1"));
    run.replaced(job.name() + "-worker-0");
    run.trainedOnce();
    run.neverSuspended();

    job.annotate("rekindle.dev/restart", "rebuild");
    long reached = job.log().reached();
    Set<String> first = job.placement().keySet();
    scene.cluster().forgetFaults();
    scene.cluster().awaitAllUsable();
    scene.cluster().inject(job.nodeOf("worker-1"), Cluster.gpuOffTheBus());
    Recovery rebuilt = job.recoveries().awaitRecovered(2);
    job.awaitNewGenerationPast(reached, first);
    Testbed.log("with Coscheduling, rebuilt: %s".formatted(Recoveries.took(rebuilt)));

    assertThat(Recoveries.plan(rebuilt).restart()).isEqualTo(RestartWay.REBUILD);
    assertThat(podGroup(scene, job)).isPresent();
  }

  /** A pod that none of the gang may be beside keeps the last node; then it goes. */
  @Test
  void shouldRemindTheSchedulerOfAGangThatItHasGivenUpOn(Scene scene) {
    scene.onCleanUp(
        () -> Testbed.command(UP, "testbed", "up", "--bare", "--without", "coscheduling"));
    Testbed.command(UP, "testbed", "up", "--bare", "--with", "coscheduling");
    TrainingJob job = scene.job("stuck").workers(2).light().start();
    job.awaitStep(10);
    Set<String> first = job.placement().keySet();
    String last =
        scene.cluster().nodes().stream()
            .map(n -> n.getMetadata().getName())
            .filter(n -> !job.placement().containsValue(n))
            .findFirst()
            .orElseThrow();
    Pod squatter = squatter(scene, job, last);

    scene.cluster().inject(job.nodeOf("worker-0"), Cluster.gpuOffTheBus());
    Await.until(
        "the scheduler is reminded",
        Duration.ofMinutes(4),
        () ->
            podGroup(scene, job)
                .map(group -> group.getMetadata().getAnnotations())
                .filter(all -> all != null && all.containsKey("rekindle.dev/requeue"))
                .isPresent(),
        job::describePods);
    assertThat(job.placement().values()).as("all or nothing").containsOnly("");
    scene.client().resource(squatter).withGracePeriod(0).delete();
    Instant free = Instant.now();
    Await.until(
        "the gang is placed",
        Duration.ofMinutes(2),
        () -> !job.placement().containsValue("") && job.pods().size() == 3,
        job::describePods);
    Testbed.log("placed %d ms after there was room".formatted(free.until(Instant.now(), MILLIS)));
    job.recoveries().awaitRecovered();
    assertThat(job.placement().keySet()).doesNotContainAnyElementsOf(first);
  }

  private static Pod squatter(Scene scene, TrainingJob job, String node) {
    Pod pod =
        new PodBuilder()
            .withNewMetadata()
            .withName(job.name() + "-squatter")
            .withNamespace(Testbed.NAMESPACE)
            .endMetadata()
            .withNewSpec()
            .withNodeName(node)
            .addNewContainer()
            .withName("pause")
            .withImage("localhost/pause:1")
            .withImagePullPolicy("IfNotPresent")
            .endContainer()
            .withNewAffinity()
            .withNewPodAntiAffinity()
            .addNewRequiredDuringSchedulingIgnoredDuringExecution()
            .withTopologyKey("kubernetes.io/hostname")
            .withNewLabelSelector()
            .addToMatchLabels("training.kubeflow.org/job-name", job.name())
            .endLabelSelector()
            .endRequiredDuringSchedulingIgnoredDuringExecution()
            .endPodAntiAffinity()
            .endAffinity()
            .endSpec()
            .build();
    scene.onCleanUp(() -> scene.client().resource(pod).withGracePeriod(0).delete());
    return scene.client().resource(pod).create();
  }

  private static Optional<GenericKubernetesResource> podGroup(Scene scene, TrainingJob job) {
    return Optional.ofNullable(
        scene
            .client()
            .genericKubernetesResources("scheduling.x-k8s.io/v1alpha1", "PodGroup")
            .inNamespace(Testbed.NAMESPACE)
            .withName(job.name())
            .get());
  }
}
