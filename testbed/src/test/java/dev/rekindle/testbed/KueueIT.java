package dev.rekindle.testbed;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.rekindle.api.Recovery;
import dev.rekindle.api.RestartWay;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Jobs that a real Kueue admits. */
@Order(14)
@OnTestbed
class KueueIT {
  private static void queued(ObjectNode job) {
    ((ObjectNode) job.get("metadata"))
        .putObject("labels")
        .put("kueue.x-k8s.io/queue-name", Kueue.QUEUE);
  }

  @Test
  void shouldRestartInPlaceAndThenRebuildAJobWithoutLosingItsQuota(Scene scene) {
    Kueue kueue = Kueue.start(scene, 2);
    TrainingJob job = scene.job("queued").inPlace().edit(KueueIT::queued).start();
    job.awaitStep(25);
    TrainingJob waiting = scene.job("waiting").light().edit(KueueIT::queued).start();
    GenericKubernetesResource before = kueue.workload(job);
    assertThat(kueue.admitted(waiting)).isFalse();

    InPlaceRun run = InPlaceRun.of(scene, job);
    scene.cluster().inject(job.nodeOf("worker-0"), Cluster.gpuOffTheBus());
    Recovery inPlace = job.recoveries().awaitRecovered();
    run.awaitPast(20);
    Testbed.log("under Kueue, in place: %s".formatted(Recoveries.took(inPlace)));

    assertThat(Recoveries.plan(inPlace).restart()).isEqualTo(RestartWay.IN_PLACE);
    run.survived(job.podNames("master-0"));
    run.replaced(job.name() + "-worker-0");
    run.trainedOnce();
    assertThat(kueue.workload(job).getMetadata().getUid())
        .as("admitted once")
        .isEqualTo(before.getMetadata().getUid());
    assertThat(kueue.workload(job).getMetadata().getGeneration())
        .as("of a Workload that was not touched")
        .isEqualTo(before.getMetadata().getGeneration());

    job.annotate("rekindle.dev/restart", "rebuild");
    long reached = job.log().reached();
    Set<String> first = job.placement().keySet();
    scene.cluster().inject(job.nodeOf("worker-0"), Cluster.gpuOffTheBus());
    Recovery rebuilt = job.recoveries().awaitRecovered(2);
    job.awaitNewGenerationPast(reached, first);
    Testbed.log("under Kueue, rebuilt: %s".formatted(Recoveries.took(rebuilt)));

    assertThat(Recoveries.plan(rebuilt).restart()).isEqualTo(RestartWay.REBUILD);
    assertThat(job.placement().keySet()).doesNotContainAnyElementsOf(first);
    assertThat(waiting.pods()).as("who waited got no quota").isEmpty();
    assertThat(kueue.admitted(waiting)).isFalse();
    assertThat(kueue.workload(job).getMetadata().getUid()).isEqualTo(before.getMetadata().getUid());
    assertThat(kueue.workload(job).getMetadata().getAnnotations())
        .as("no mark is left")
        .satisfiesAnyOf(
            a -> assertThat(a).isNull(),
            a -> assertThat(a).doesNotContainKey("rekindle.dev/suspended-by"));
    Await.until(
        "the queue admits again",
        Duration.ofMinutes(2),
        () -> "None".equals(kueue.queue().get("spec", "stopPolicy")));
    assertThat(job.pods())
        .allSatisfy(p -> assertThat(TrainingJob.attempt(p)).isEqualTo(attempt(rebuilt)));

    job.delete();
    Await.until(
        "the one that waited is admitted", Duration.ofMinutes(2), () -> kueue.admitted(waiting));
  }

  @Test
  @EnabledIfSystemProperty(
      named = Testbed.ALL,
      matches = "true",
      disabledReason = "a build has one rebuild under Kueue, by the test above")
  void shouldGiveTheCheckpointToAScriptWhoseTemplateReadsIt(Scene scene) {
    Kueue kueue = Kueue.start(scene, 2);
    TrainingJob job = scene.job("pinned").resumesByAnnotation().edit(KueueIT::queued).start();
    job.awaitStep(25);
    Set<String> first = job.placement().keySet();

    scene.cluster().inject(job.nodeOf("worker-0"), Cluster.gpuOffTheBus());
    Recovery recovery = job.recoveries().awaitRecovered();
    job.awaitNewGenerationPast(job.log().reached(), first);

    String pinned = Recoveries.checkpoint(recovery).path();
    assertThat(pinned).isNotEmpty();
    for (Pod pod : job.pods()) {
      assertThat(TrainingJob.env(pod, "REKINDLE_RESUME_FROM")).contains(pinned);
    }
    assertThat(kueue.workload(job).<Object>get("spec", "podSets"))
        .as("what Kueue would put back at a stop of its own")
        .satisfies(sets -> assertThat(sets.toString()).doesNotContain(pinned));
  }

  private static String attempt(Recovery recovery) {
    return "%s-%d"
        .formatted(recovery.getMetadata().getName(), Recoveries.status(recovery).attempt());
  }
}
