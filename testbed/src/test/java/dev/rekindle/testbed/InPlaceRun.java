package dev.rekindle.testbed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.rekindle.api.Recovery;
import dev.rekindle.api.RestartOrder;
import dev.rekindle.api.RestartReport;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * A job before it is restarted in place, to be compared with what became of it. A generation is no
 * longer known by its pods: it is the containers that ran at that moment.
 */
final class InPlaceRun {
  private static final Duration LIMIT = Duration.ofMinutes(3);

  private final Scene scene;
  private final TrainingJob job;
  private final Map<String, Pod> before;
  private final Instant began;

  private InPlaceRun(Scene scene, TrainingJob job, Map<String, Pod> before, Instant began) {
    this.scene = scene;
    this.job = job;
    this.before = before;
    this.began = began;
  }

  /** Takes down what runs now. */
  static InPlaceRun of(Scene scene, TrainingJob job) {
    return new InPlaceRun(scene, job, pods(job), Instant.now());
  }

  /** The first containers of a job whose script requests a restart. It may have come by now. */
  static InPlaceRun ofFirst(Scene scene, TrainingJob job) {
    Map<String, Pod> pods = pods(job);
    pods.values().forEach(p -> p.getStatus().setContainerStatuses(List.of()));
    return new InPlaceRun(scene, job, pods, Instant.MIN);
  }

  private static Map<String, Pod> pods(TrainingJob job) {
    return job.pods().stream().collect(Collectors.toMap(InPlaceRun::name, Function.identity()));
  }

  private static String name(Pod pod) {
    return pod.getMetadata().getName();
  }

  private static String uid(Pod pod) {
    return pod.getMetadata().getUid();
  }

  /** Whether a container that ran at the beginning wrote the line, or one that was gone by then. */
  private boolean old(LogLine line) {
    return line.time().isBefore(began)
        || before.values().stream()
            .anyMatch(p -> uid(p).equals(line.uid()) && restarts(p) >= line.run());
  }

  private static int restarts(Pod pod) {
    return pod.getStatus().getContainerStatuses().stream()
        .filter(c -> c.getName().equals(TrainingJob.CONTAINER))
        .mapToInt(ContainerStatus::getRestartCount)
        .sum();
  }

  /** Highest step of the old containers. */
  long reached() {
    return job.log().reached(s -> old(s.line()));
  }

  /** First step of the new containers. */
  long firstStep() {
    return job.log().steps(s -> !old(s.line())).getFirst().step();
  }

  /** When a new container first made a step past the given one. */
  Instant firstPast(long step) {
    return job.log().steps(s -> !old(s.line()) && s.step() > step).getFirst().time();
  }

  /** Waits until new containers have come further than the old ones, and some. */
  void awaitPast(long more) {
    Await.until(
        "new containers of %s past step %d".formatted(job.name(), reached() + more),
        LIMIT,
        () -> job.log().reached(s -> !old(s.line())) > reached() + more,
        job::describePods);
  }

  /** Pods that are there as they were, each with one more run of its container. */
  void survived(Set<String> names) {
    // A rank may step before its kubelet has said that its container was started again.
    Await.until(
        "kubelets report the restart of " + names,
        LIMIT,
        () ->
            pods(job).values().stream()
                .filter(p -> names.contains(name(p)))
                .allMatch(p -> restarts(p) > restarts(Objects.requireNonNull(before.get(name(p))))),
        job::describePods);
    Map<String, Pod> now = pods(job);
    assertThat(now.keySet()).isEqualTo(before.keySet());
    for (String name : names) {
      Pod was = Objects.requireNonNull(before.get(name));
      Pod is = Objects.requireNonNull(now.get(name));
      assertThat(uid(is)).as("UID of " + name).isEqualTo(uid(was));
      assertThat(is.getStatus().getPodIP()).isEqualTo(was.getStatus().getPodIP());
      assertThat(is.getSpec().getNodeName()).isEqualTo(was.getSpec().getNodeName());
      assertThat(restarts(is)).as("restarts of " + name).isEqualTo(restarts(was) + 1);
    }
  }

  /** The pods are there as they were, each with the container that ran. */
  void wasNotRestarted() {
    assertThat(job.pods())
        .allSatisfy(
            is -> {
              Pod was = Objects.requireNonNull(before.get(name(is)));
              assertThat(uid(is)).as("UID of " + name(is)).isEqualTo(uid(was));
              assertThat(restarts(is)).as("restarts of " + name(is)).isEqualTo(restarts(was));
            });
  }

  /** One pod was created again, elsewhere. */
  void replaced(String name) {
    Pod was = Objects.requireNonNull(before.get(name));
    Pod is = job.pod(name.substring(job.name().length() + 1));
    assertThat(uid(is)).isNotEqualTo(uid(was));
    assertThat(is.getSpec().getNodeName()).isNotEqualTo(was.getSpec().getNodeName());
  }

  /** No old container made a step once a new one had; all losses are those of a quiet run. */
  void trainedOnceAndRight(int workers) {
    trainedOnce();
    Map<Long, Double> undisturbed = Reference.losses(scene, workers);
    for (TrainingLog.Step step : job.log().steps()) {
      if (undisturbed.containsKey(step.step())) {
        assertThat(step.loss())
            .as("loss of step %d", step.step())
            .isCloseTo(undisturbed.get(step.step()), within(1e-5));
      }
    }
  }

  /**
   * No old container made a step once a new one had; steps that both made have the same losses. For
   * a size of gang that is not worth a quiet run to compare with.
   */
  void trainedOnceAndAlike() {
    trainedOnce();
    Map<Long, Double> first =
        job.log().steps(s -> old(s.line())).stream()
            .collect(Collectors.toMap(TrainingLog.Step::step, TrainingLog.Step::loss, (a, _) -> a));
    List<TrainingLog.Step> again =
        job.log().steps(s -> !old(s.line()) && first.containsKey(s.step()));
    // A gang that is stopped right after a save makes no step twice.
    assertThat(again)
        .as("steps made again after the checkpoint")
        .hasSizeGreaterThanOrEqualTo(Math.toIntExact(reached() - firstStep() + 1));
    for (TrainingLog.Step step : again) {
      assertThat(step.loss())
          .as("loss of step %d", step.step())
          .isCloseTo(first.get(step.step()), within(1e-5));
    }
  }

  /** No old container made a step once a new one had. */
  void trainedOnce() {
    Instant firstNew = job.log().steps(s -> !old(s.line())).getFirst().time();
    assertThat(job.log().steps(s -> old(s.line())))
        .as("steps of the old generation beside the new one")
        .allSatisfy(s -> assertThat(s.time()).isBefore(firstNew));
  }

  /** It continued from the pinned checkpoint. */
  void wentOnFromThePin(Recovery recovery) {
    long pinned = Objects.requireNonNull(Recoveries.checkpoint(recovery).step());
    assertThat(job.log().steps(s -> !old(s.line())).getFirst().step()).isEqualTo(pinned + 1);
    assertThat(pinned).as("a checkpoint every 10 steps").isBetween(reached() - 20, reached());
  }

  /** Nothing of the detour by suspension was taken. */
  void neverSuspended() {
    assertThat(scene.recorder().job(job))
        .noneMatch(
            s -> Boolean.TRUE.equals(s.object().<Boolean>get("spec", "runPolicy", "suspend")));
  }

  /** One write for each node and instruction, however many pods; all of it is cleaned up. */
  void spokeLittle() {
    Map<String, Long> writes =
        scene.recorder().of(RestartReport.class).stream()
            .filter(s -> s.object().getSpec().job().equals(job.name()) && !s.gone())
            .collect(
                Collectors.groupingBy(
                    s -> s.object().getSpec().order() + " on " + s.object().getSpec().node(),
                    TreeMap::new,
                    Collectors.counting()));
    assertThat(writes).isNotEmpty().allSatisfy((_, count) -> assertThat(count).isBetween(1L, 3L));
    Await.until(
        "the order is withdrawn",
        LIMIT,
        () ->
            scene
                .client()
                .resources(RestartOrder.class)
                .inNamespace(Testbed.NAMESPACE)
                .list()
                .getItems()
                .stream()
                .noneMatch(o -> o.getSpec().job().equals(job.name())));
  }
}
