package dev.rekindle.testbed;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.Recovery;
import dev.rekindle.api.RestartWay;
import java.time.Duration;
import java.util.Set;

/** A job that trains, is struck, and trains again or says why not. */
final class TroubledJob {
  private static final Duration RECOVERY = Duration.ofMinutes(5);

  private final Trouble trouble;
  private final Scene scene;
  private final TrainingJob job;
  private Set<String> old = Set.of();
  private String node = "";
  private long reached;

  TroubledJob(Trouble trouble, Scene scene, TrainingJob job) {
    this.trouble = trouble;
    this.scene = scene;
    this.job = job;
  }

  void awaitTraining() {
    job.awaitStep(15);
    old = job.placement().keySet();
    node = job.nodeOf("worker-0");
  }

  void strike() {
    switch (trouble) {
      case REBUILD, RESTART_IN_PLACE -> scene.cluster().inject(node, Cluster.gpuOffTheBus());
      case STALL -> Host.signal("STOP", job.processes("worker-0"));
      case SILENT_NODE -> scene.cluster().freeze(node);
    }
  }

  /**
   * The disturbance is going on.
   *
   * @param answer the text of the refusals, which a hold must give as its reason
   */
  void awaitRecoveredOrHeld(String answer) {
    Await.until(
        "%s: recovered, or held with what was answered".formatted(trouble),
        RECOVERY,
        () ->
            job.recoveries().all().stream()
                .anyMatch(
                    r ->
                        Recoveries.recovered(r)
                            || (Recoveries.held(r)
                                && Recoveries.words(r).anyMatch(w -> w.contains(answer)))),
        job.recoveries()::describe);
    reached = job.log().reached();
  }

  /** The disturbance is over. */
  void check() {
    Recovery recovery = job.recoveries().awaitRecovered();
    Testbed.log(
        "%s under trouble: %s in %s"
            .formatted(trouble, Recoveries.plan(recovery).restart(), Recoveries.took(recovery)));
    Await.until(
        "%s of %s past step %d".formatted(trouble, job.name(), reached),
        RECOVERY,
        () -> job.log().reached() > reached + 10,
        job::describePods);
    Set<String> now = job.placement().keySet();
    switch (trouble) {
      case REBUILD -> {
        assertThat(Recoveries.cause(recovery).faultyNodes()).containsExactly(node);
        assertMoved(now);
      }
      case SILENT_NODE -> {
        assertThat(Recoveries.cause(recovery).reason()).isEqualTo("NodeSilent");
        assertThat(Recoveries.plan(recovery).excludedNodes()).containsExactly(node);
        assertMoved(now);
      }
      case RESTART_IN_PLACE -> {
        assertThat(Recoveries.cause(recovery).faultyNodes()).containsExactly(node);
        assertThat(job.placement().values()).hasSize(2).doesNotContain(node);
        assertKept(recovery, now, 1);
      }
      case STALL -> {
        assertThat(Recoveries.cause(recovery).reason()).isEqualTo("Stalled");
        assertKept(recovery, now, 2);
      }
    }
  }

  /**
   * Restarted in place, or rebuilt with a reason: agents may be too late under such a disturbance.
   */
  private void assertKept(Recovery recovery, Set<String> now, int pods) {
    boolean inPlace = Recoveries.plan(recovery).restart() == RestartWay.IN_PLACE;
    assertThat(now.stream().filter(old::contains))
        .as("pods that stay, in place: %s", inPlace)
        .hasSize(inPlace ? pods : 0);
    if (!inPlace) {
      assertThat(Recoveries.plan(recovery).restartReason()).startsWith("not in place after all: ");
    }
  }

  private void assertMoved(Set<String> now) {
    assertThat(now).hasSize(2).doesNotContainAnyElementsOf(old);
    assertThat(job.placement().values()).doesNotContain(node);
  }
}
