package dev.rekindle.testbed;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.Recovery;
import dev.rekindle.api.RecoveryPolicySpec;
import dev.rekindle.api.RecoveryStatus.Evidence;
import dev.rekindle.api.RestartWay;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * A rank hangs: everything runs, nothing moves; or its script sees that itself, and asks for a
 * restart. No node is touched, so that jobs can be tested side by side.
 */
@Order(3)
@OnTestbed
class StalledRankIT {
  private static final Duration RECOVERED = Duration.ofMinutes(2);
  private static final Duration TRAINS = Duration.ofMinutes(1);

  /** Detection by default: what the chart installs, and no word of the job on it. */
  private static RecoveryPolicySpec detectsByDefault() {
    return Serialization.unmarshal(
        """
        timeouts: {gracePeriodCapSeconds: 1, inspectSeconds: 20, readyStableSeconds: 5}
        """,
        RecoveryPolicySpec.class);
  }

  @Test
  @Execution(ExecutionMode.CONCURRENT)
  void shouldLearnWhenStepsStandTooLongAndFenceNobodyWhenARankIsStopped(Scene scene) {
    String policy = scene.policy("by-default", detectsByDefault());
    TrainingJob job = scene.job("stall").annotation("rekindle.dev/policy", policy).start();
    job.awaitStep(45);
    Set<String> old = job.placement().keySet();

    Host.signal("STOP", job.processes("worker-0"));
    Recovery recovery = job.recoveries().awaitRecovered(RECOVERED);
    Instant last = job.log().steps(s -> old.contains(s.uid())).getLast().time();
    assertThat(Duration.between(last, recovery.getSpec().detectedAt()))
        .as("policy of 600 s, learnt")
        .isLessThan(Duration.ofSeconds(45));
    assertThat(Recoveries.cause(recovery).evidence())
        .singleElement()
        .extracting(Evidence::text)
        .asString()
        .startsWith("a stall after 30 s: 99 % of intervals took at most");
    long reached = job.log().reached(s -> old.contains(s.uid()));
    job.awaitNewGenerationPast(reached, old, Duration.ofSeconds(30));

    assertThat(Recoveries.cause(recovery).reason()).isEqualTo("Stalled");
    assertThat(Recoveries.cause(recovery).faultyNodes()).isEmpty();
    assertThat(Recoveries.plan(recovery).excludedNodes()).isEmpty();
    assertThat(
            List.of("node-0", "node-1", "node-2", "node-3").stream()
                .flatMap(n -> scene.recorder().node(n).stream()))
        .as("no node was ever cordoned")
        .noneMatch(s -> Cluster.unschedulable(s.object()));
  }

  @Test
  @Execution(ExecutionMode.CONCURRENT)
  void shouldNotRestartWhenARankIsStoppedForLessThanTheTimeout(Scene scene) {
    TrainingJob job = scene.job("pause").annotation("rekindle.dev/stall-timeout", "20s").start();
    job.awaitStep(15);
    List<Long> rank = job.processes("worker-0");
    Host.signal("STOP", rank);
    Await.never(
        "a recovery of a short pause",
        Duration.ofSeconds(6),
        () -> !job.recoveries().all().isEmpty());
    Host.signal("CONT", rank);
    job.awaitProgress(20);
    assertThat(job.recoveries().all()).isEmpty();
  }

  @Test
  @Execution(ExecutionMode.CONCURRENT)
  void shouldRestartAllRanksAndReplaceNobodyWhenARankIsStopped(Scene scene) {
    TrainingJob job =
        scene
            .job("stopped")
            .workers(2)
            .inPlace()
            .annotation("rekindle.dev/stall-timeout", "5s")
            .start();
    job.awaitStep(25);
    InPlaceRun run = InPlaceRun.of(scene, job);

    Host.signal("STOP", job.processes("worker-0"));
    Recovery recovery = job.recoveries().awaitRecovered(RECOVERED);
    run.awaitPast(10, TRAINS);

    assertThat(Recoveries.cause(recovery).reason()).isEqualTo("Stalled");
    assertThat(Recoveries.plan(recovery).restart()).isEqualTo(RestartWay.IN_PLACE);
    run.survived(job.podNames("master-0", "worker-0", "worker-1"));
    run.wentOnFromThePin(recovery);
    run.trainedOnceAndRight(2);
    run.neverSuspended();
  }

  @Test
  @Execution(ExecutionMode.CONCURRENT)
  void shouldRestartAllRanksWhenOneIsKilledAndItsPeerHangs(Scene scene) {
    TrainingJob job =
        scene
            .job("killed")
            .workers(2)
            .inPlace()
            .annotation("rekindle.dev/stall-timeout", "15s")
            .start();
    job.awaitStep(25);
    InPlaceRun run = InPlaceRun.of(scene, job);

    Host.signal("STOP", job.processes("worker-1"));
    Host.kill(job.processes("worker-0"));
    Recovery recovery = job.recoveries().awaitRecovered(RECOVERED);
    run.awaitPast(10, TRAINS);

    assertThat(Recoveries.plan(recovery).restart()).isEqualTo(RestartWay.IN_PLACE);
    assertThat(job.placement().keySet()).as("no pod was made anew").hasSize(3);
    run.survived(job.podNames("worker-1"));
    run.trainedOnceAndRight(2);
    run.neverSuspended();
  }

  @Test
  @Execution(ExecutionMode.CONCURRENT)
  void shouldRestartAllRanksOnceWhenTheScriptAsksForIt(Scene scene) {
    TrainingJob job = scene.job("asked").workers(2).inPlace().env("ASK_RESTART_AT", "45").start();
    job.awaitStep(25);
    InPlaceRun run = InPlaceRun.of(scene, job);

    Recovery recovery = job.recoveries().awaitRecovered(RECOVERED);
    run.awaitPast(50, TRAINS);

    assertThat(Recoveries.cause(recovery).reason()).isEqualTo("RestartAsked");
    Evidence asked = Recoveries.cause(recovery).evidence().getFirst();
    assertThat(asked.pod()).isEqualTo(job.name() + "-master-0");
    assertThat(asked.text()).contains("asked for at step 45");
    assertThat(Recoveries.plan(recovery).restart()).isEqualTo(RestartWay.IN_PLACE);
    run.survived(job.podNames("master-0", "worker-0", "worker-1"));
    run.wentOnFromThePin(recovery);
    run.trainedOnceAndRight(2);
    run.neverSuspended();
    assertThat(job.recoveries().all()).as("served once").hasSize(1);
  }
}
