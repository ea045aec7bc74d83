package dev.rekindle.testbed;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.Recovery;
import dev.rekindle.api.RecoveryPolicySpec;
import dev.rekindle.api.RecoveryStatus.Cause;
import dev.rekindle.api.RecoveryStatus.Evidence;
import dev.rekindle.api.RestartWay;
import dev.rekindle.api.StallFinding;
import dev.rekindle.api.StallFinding.NamedRank;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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

  /** Real PyTorch over Gloo, the default policy, and no annotation about stalls. */
  @ParameterizedTest
  @CsvSource({"stopped, 1, host", "lock, 2, host", "loader, 0, host", "mismatch, 1, program"})
  @Execution(ExecutionMode.CONCURRENT)
  void shouldNameTheRankThatHoldsUpTheOthersAndFenceNoNode(
      String how, int rank, String stallClass, Scene scene) {
    String policy = scene.policy("by-default-" + how, detectsByDefault());
    JobRequest request =
        scene
            .job("stall-" + how)
            .workers(2)
            .inPlace()
            .annotation("rekindle.dev/policy", policy)
            .env("STALL_RANK", Integer.toString(rank))
            .env("STALL_AT", "45");
    TrainingJob job = (how.equals("stopped") ? request : request.env("STALL_HOW", how)).start();
    String pod = rank == 0 ? "master-0" : "worker-" + (rank - 1);
    job.awaitStep(25);
    InPlaceRun run = InPlaceRun.of(scene, job);
    job.awaitStep(how.equals("stopped") ? 45 : 44);
    if (how.equals("stopped")) {
      Host.signal("STOP", job.processes(pod));
    }
    Recovery recovery = job.recoveries().awaitRecovered(RECOVERED);
    run.awaitPast(10, TRAINS);

    Cause cause = Recoveries.cause(recovery);
    long reached = Objects.requireNonNull(cause.lastStep());
    Instant last =
        job.log().steps(s -> s.step() == reached).stream()
            .map(TrainingLog.Step::time)
            .min(Comparator.naturalOrder())
            .orElseThrow();
    assertThat(Duration.between(last, recovery.getSpec().detectedAt()))
        .as("policy of 600 s, learnt")
        .isLessThan(Duration.ofSeconds(45));
    assertThat(cause.evidence())
        .singleElement()
        .extracting(Evidence::text)
        .asString()
        .startsWith("a stall after 3")
        .contains("99 % of intervals took at most");
    StallFinding stall = Objects.requireNonNull(cause.stall());
    assertThat(stall.culprits()).as("%s", stall).extracting(NamedRank::rank).containsExactly(rank);
    assertThat(stall.culprits().getFirst().pod()).endsWith(pod);
    assertThat(stall.stallClass()).isEqualTo(stallClass);
    assertThat(stall.confidence()).isEqualTo("high");
    assertThat(stall.ranks()).isEqualTo(3);
    assertThat(job.awaitEvent("CulpritNamed", Duration.ofSeconds(15))).contains("rank " + rank);
    assertThat(cause.faultyNodes()).isEmpty();
    assertThat(Recoveries.plan(recovery).excludedNodes()).isEmpty();
    run.survived(job.podNames("master-0", "worker-0", "worker-1"));
    run.trainedOnceAndRight(2);
    run.neverSuspended();
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
