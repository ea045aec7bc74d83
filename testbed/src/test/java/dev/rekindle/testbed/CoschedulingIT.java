package dev.rekindle.testbed;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.Recovery;
import dev.rekindle.api.RestartWay;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

/** Gangs that the real scheduler plugin Coscheduling places, with PodGroups of the operator. */
@Order(15)
@OnTestbed
class CoschedulingIT {
  private static final Duration UP = Duration.ofMinutes(15);
  private static final Duration RECOVERED = Duration.ofMinutes(3);
  private static final Duration TRAINS = Duration.ofMinutes(1);

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
    Recovery recovery = job.recoveries().awaitRecovered(RECOVERED);
    run.awaitPast(20, TRAINS);

    assertThat(Recoveries.plan(recovery).restart()).isEqualTo(RestartWay.IN_PLACE);
    run.survived(job.podNames("master-0", "worker-1"));
    run.replaced(job.name() + "-worker-0");
    run.trainedOnce();
    run.neverSuspended();

    job.annotate("rekindle.dev/restart", "rebuild");
    long reached = job.log().reached();
    Set<String> first = job.placement().keySet();
    scene.cluster().forgetFaults();
    scene.cluster().awaitAllUsable(Duration.ofSeconds(60));
    scene.cluster().inject(job.nodeOf("worker-1"), Cluster.gpuOffTheBus());
    Recovery rebuilt = job.recoveries().awaitRecovered(2, RECOVERED);
    job.awaitNewGenerationPast(reached, first, TRAINS);

    assertThat(Recoveries.plan(rebuilt).restart()).isEqualTo(RestartWay.REBUILD);
    assertThat(podGroup(scene, job)).isPresent();
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
