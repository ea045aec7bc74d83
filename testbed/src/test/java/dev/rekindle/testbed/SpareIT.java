package dev.rekindle.testbed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.rekindle.api.PlacementPlan;
import dev.rekindle.api.Recovery;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RestartWay;
import dev.rekindle.testbed.Recorder.ObjectVersion;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.ServiceAccountBuilder;
import io.fabric8.kubernetes.api.model.VolumeBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.function.Executable;

/** Warm spares: made beside a gang, released to a replacement, made again. */
@Order(40)
@OnTestbed
class SpareIT {
  private static final Duration WARM = Duration.ofMinutes(4);

  /**
   * More than half of what a node has, so that two pods of it share none, and one leaf group where
   * it has room: on two, the free node beside a lost one is nearer than the spare beside the other.
   */
  private static void fillNodes(ObjectNode template) {
    ((ObjectNode) template.at("/spec/containers/0"))
        .withObject("/resources/requests")
        .put("cpu", "1100m");
    ObjectNode nearGang =
        template
            .withObject("/spec/affinity/podAffinity")
            .withArray("preferredDuringSchedulingIgnoredDuringExecution")
            .addObject()
            .put("weight", 100)
            .putObject("podAffinityTerm")
            .put("topologyKey", "fabric.topograph.run/tier-0");
    nearGang
        .putObject("labelSelector")
        .putArray("matchExpressions")
        .addObject()
        .put("key", "training.kubeflow.org/job-name")
        .put("operator", "Exists");
  }

  private static List<Pod> spares(Scene scene, TrainingJob job) {
    return scene
        .client()
        .pods()
        .inNamespace(Testbed.NAMESPACE)
        .withLabel("app.kubernetes.io/component", "spare")
        .list()
        .getItems()
        .stream()
        .filter(pod -> pod.getMetadata().getName().startsWith(job.name() + "-spare-"))
        .toList();
  }

  private static Pod awaitWarm(Scene scene, TrainingJob job, Predicate<Pod> which) {
    return Await.value(
        "a warm spare of " + job.name(),
        WARM,
        () ->
            spares(scene, job).stream()
                .filter(pod -> "Running".equals(pod.getStatus().getPhase()))
                .filter(SpareIT::hasImages)
                .filter(which)
                .findFirst());
  }

  /** A pod is Running as soon as one of its containers is. */
  private static boolean hasImages(Pod spare) {
    return spare.getStatus().getContainerStatuses().stream()
        .filter(c -> c.getName().startsWith("image-"))
        .allMatch(c -> c.getState().getTerminated() != null);
  }

  @Test
  @OnHalfTheNodes
  @Order(1)
  void shouldStartTheReplacementWhereASpareWasAndMakeAnother(Scene scene) {
    TrainingJob job =
        scene
            .job("spare")
            .inPlace()
            .annotation("rekindle.dev/spares", "1")
            .editTemplates(SpareIT::fillNodes)
            .start();
    job.awaitStep(25);
    Pod spare = awaitWarm(scene, job, _ -> true);
    String warm = spare.getSpec().getNodeName();
    assertThat(job.placement().values()).doesNotContain(warm);
    assertThat(spare.getSpec().getPriority()).isEqualTo(-1000);
    assertThat(spare.getSpec().getPreemptionPolicy()).isEqualTo("Never");
    assertThat(spare.getMetadata().getOwnerReferences())
        .singleElement()
        .satisfies(owner -> assertThat(owner.getUid()).isEqualTo(job.uid()));
    assertThat(spare.getStatus().getContainerStatuses())
        .filteredOn(c -> c.getName().startsWith("image-"))
        .as("the image is there, and nothing of it has run")
        .allSatisfy(
            c -> {
              assertThat(c.getState().getTerminated().getReason()).isEqualTo("StartError");
              assertThat(c.getImageID()).isNotEmpty();
            });
    InPlaceRun run = InPlaceRun.of(scene, job);

    scene.cluster().inject(job.nodeOf("worker-0"), Cluster.gpuOffTheBus());
    Recovery recovery = job.recoveries().awaitRecovered();
    run.awaitPast(10);

    assertThat(Recoveries.plan(recovery).restart()).isEqualTo(RestartWay.IN_PLACE);
    assertThat(Objects.requireNonNull(Recoveries.plan(recovery).placement()).nodes())
        .containsExactly(warm);
    assertThat(job.nodeOf("worker-0")).isEqualTo(warm);
    assertThat(job.awaitEvent("SpareReleased")).contains(warm);
    run.survived(job.podNames("master-0"));
    report(scene, job, "with a spare");
    String former = spare.getMetadata().getUid();
    Pod next = awaitWarm(scene, job, pod -> !pod.getMetadata().getUid().equals(former));
    assertThat(job.placement().values()).doesNotContain(next.getSpec().getNodeName());

    job.annotate("rekindle.dev/spares", "0");
    Await.until("its spare is gone", Duration.ofMinutes(2), () -> spares(scene, job).isEmpty());
  }

  /** The figure beside that of the test above, for docs/benchmarks.md. */
  @Test
  @EnabledIfSystemProperty(named = Testbed.ALL, matches = "true")
  @OnHalfTheNodes
  @Order(2)
  void shouldTakeAsLongWithoutASpareWhereRoomAndImageAreThere(Scene scene) {
    TrainingJob job = scene.job("nospare").inPlace().editTemplates(SpareIT::fillNodes).start();
    job.awaitStep(25);

    scene.cluster().inject(job.nodeOf("worker-0"), Cluster.gpuOffTheBus());
    job.recoveries().awaitRecovered();

    assertThat(spares(scene, job)).isEmpty();
    report(scene, job, "without");
  }

  /** What no recovery can be faster than: a pod is deleted by hand, and the operator makes it. */
  @Test
  @EnabledIfSystemProperty(named = Testbed.ALL, matches = "true")
  @OnHalfTheNodes
  @Order(2)
  void shouldStartAPodAgainThatIsDeletedByHand(Scene scene) {
    TrainingJob job = scene.job("byhand").inPlace().editTemplates(SpareIT::fillNodes).start();
    job.awaitStep(25);
    job.annotate("rekindle.dev/recover", "false");
    Pod worker = job.pod("worker-0");

    Instant deleted = Instant.now();
    scene.client().resource(worker).withGracePeriod(1).delete();
    Await.until(
        "another pod",
        WARM,
        () -> scene.recorder().pods(job).stream().anyMatch(v -> isAnother(v, worker)));

    report(scene, job, "by hand", deleted);
  }

  private static boolean isAnother(ObjectVersion<Pod> version, Pod pod) {
    return version.name().equals(pod.getMetadata().getName())
        && !version.uid().equals(pod.getMetadata().getUid());
  }

  /** From the plan, and from the end of the pod that was there, to the start of its rank again. */
  private static void report(Scene scene, TrainingJob job, String what) {
    Instant planned =
        scene.recorder().of(Recovery.class).stream()
            .filter(v -> v.name().startsWith(job.name()) && placement(v.object()).isPresent())
            .findFirst()
            .orElseThrow()
            .at();
    report(scene, job, what, planned);
  }

  private static void report(Scene scene, TrainingJob job, String what, Instant planned) {
    // A rank may step before its kubelet has said that it runs.
    Await.until("the replacement runs", WARM, () -> runs(job.pod("worker-0")), job::describePods);
    List<ObjectVersion<Pod>> worker =
        scene.recorder().pods(job).stream().filter(v -> v.name().endsWith("worker-0")).toList();
    String first = worker.getFirst().uid();
    Instant gone =
        worker.stream()
            .filter(v -> v.uid().equals(first) && v.gone())
            .findFirst()
            .orElseThrow()
            .at();
    Instant bound = firstOf(worker, first, pod -> pod.getSpec().getNodeName() != null);
    Instant started = firstOf(worker, first, SpareIT::runs);
    System.out.printf(
        "%s: plan to end of the old pod %.2f s, to its replacement on a node %.2f s, to its rank"
            + " %.2f s; from the plan to the rank %.2f s%n",
        what,
        seconds(planned, gone),
        seconds(gone, bound),
        seconds(bound, started),
        seconds(planned, started));
  }

  private static Instant firstOf(
      List<ObjectVersion<Pod>> worker, String former, Predicate<Pod> which) {
    return worker.stream()
        .filter(v -> !v.uid().equals(former) && !v.gone() && which.test(v.object()))
        .findFirst()
        .orElseThrow()
        .at();
  }

  private static boolean runs(Pod pod) {
    List<ContainerStatus> statuses = pod.getStatus().getContainerStatuses();
    return statuses.stream()
        .anyMatch(
            c -> c.getName().equals(TrainingJob.CONTAINER) && c.getState().getRunning() != null);
  }

  private static Optional<PlacementPlan> placement(Recovery recovery) {
    RecoveryStatus status = recovery.getStatus();
    return status == null || status.plan() == null
        ? Optional.empty()
        : Optional.ofNullable(status.plan().placement());
  }

  private static double seconds(Instant from, Instant to) {
    return Duration.between(from, to).toMillis() / 1000.0;
  }

  /** What an attacker with the controller's token can do with the right to create pods. */
  @Test
  @OnHalfTheNodes
  @Order(3)
  void shouldLetTheControllerMakeNoPodsButWarmSpares(Scene scene) {
    TrainingJob job = scene.job("shape").light().annotation("rekindle.dev/spares", "1").start();
    Pod made = awaitWarm(scene, job, _ -> true);
    // One that is not there would be refused by the API server itself.
    scene
        .client()
        .resource(
            new ServiceAccountBuilder()
                .withNewMetadata()
                .withName("builder")
                .withNamespace(Testbed.NAMESPACE)
                .endMetadata()
                .build())
        .serverSideApply();
    try (KubernetesClient thief = StolenToken.ofController(scene)) {
      assertThat(thief.resource(copy(made, _ -> {})).dryRun().create()).isNotNull();
      no(thief, made, "nothing of the images", p -> wait(p).setImage("localhost/trainer:1"));
      no(thief, made, "nothing of the images", p -> wait(p).setCommand(List.of("sh")));
      no(thief, made, "nothing of the images", p -> held(p).setCommand(List.of("python3")));
      no(thief, made, "nothing of the images", p -> held(p).setCommand(List.of()));
      no(thief, made, "nothing of the images", p -> held(p).setArgs(List.of("x")));
      no(
          thief,
          made,
          "no privileges",
          p -> held(p).getSecurityContext().setReadOnlyRootFilesystem(false));
      no(
          thief,
          made,
          "class of spares",
          p -> p.getSpec().setPriorityClassName("system-node-critical"));
      no(thief, made, "class of spares", p -> p.getSpec().setHostNetwork(true));
      no(thief, made, "class of spares", p -> p.getSpec().setServiceAccountName("builder"));
      no(thief, made, "class of spares", p -> p.getSpec().setAutomountServiceAccountToken(true));
      no(thief, made, "class of spares", p -> p.getSpec().setNodeName("node-0"));
      no(thief, made, "makes no pods but", p -> p.getMetadata().setOwnerReferences(List.of()));
      no(
          thief,
          made,
          "makes no pods but",
          p -> p.getMetadata().getLabels().put("training.kubeflow.org/job-name", job.name()));
      no(
          thief,
          made,
          "claims alone",
          p ->
              p.getSpec()
                  .getVolumes()
                  .add(
                      new VolumeBuilder()
                          .withName("keys")
                          .withNewSecret()
                          .withSecretName("keys")
                          .endSecret()
                          .build()));
    }
  }

  private static Container wait(Pod pod) {
    return pod.getSpec().getContainers().getFirst();
  }

  private static Container held(Pod pod) {
    return pod.getSpec().getContainers().getLast();
  }

  private static Pod copy(Pod made, Consumer<Pod> change) {
    Pod copy = Serialization.clone(made);
    copy.setStatus(null);
    copy.getMetadata().setName(made.getMetadata().getName() + "-copy");
    copy.getMetadata().setUid(null);
    copy.getMetadata().setResourceVersion(null);
    copy.getSpec().setNodeName(null);
    copy.getSpec().setPriority(null);
    copy.getSpec().setPreemptionPolicy(null);
    change.accept(copy);
    return copy;
  }

  private static void no(KubernetesClient thief, Pod made, String why, Consumer<Pod> change) {
    Executable call = () -> thief.resource(copy(made, change)).dryRun().create();
    assertThat(assertThrows(KubernetesClientException.class, call))
        .as(why)
        .satisfies(e -> assertThat(e.getCode()).isEqualTo(403))
        .hasMessageContaining(why);
  }
}
