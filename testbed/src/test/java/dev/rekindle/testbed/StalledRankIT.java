package dev.rekindle.testbed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import com.fasterxml.jackson.databind.JsonNode;
import dev.rekindle.api.Recovery;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryPolicySpec;
import dev.rekindle.api.RecoveryStatus.Evidence;
import dev.rekindle.api.RestartWay;
import dev.rekindle.api.StallFinding;
import dev.rekindle.api.StallFinding.NamedRank;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A rank hangs: everything runs, nothing moves; or its script sees that itself, and requests a
 * restart. No node is touched, so that jobs can be tested side by side.
 */
@Order(3)
@OnTestbed
class StalledRankIT {
  /** Its first run may have to build the simulator. */
  private static final Duration DOCTOR = Duration.ofMinutes(4);

  /**
   * Detection by default: what the chart installs, and no word of the job on it. An agent that
   * stands still for a while is waited for, or the gang would be rebuilt.
   */
  private static RecoveryPolicySpec detectsByDefault() {
    return Serialization.unmarshal(
        """
        restart: {freezeSeconds: 40}
        timeouts: {gracePeriodCapSeconds: 1, inspectSeconds: 60, readyStableSeconds: 5}
        """,
        RecoveryPolicySpec.class);
  }

  /** Real PyTorch over Gloo, the default policy, and no annotation about stalls. */
  @ParameterizedTest
  @CsvSource({
    "stopped, 0, host, high",
    "stopped, 2, host, high",
    // Sleeping in its script, or in a receive of Gloo's, of which neither dump nor stack has a
    // trace.
    "lock, 2, host, medium",
    "loader, 0, host, medium",
    "mismatch, 1, program, high",
    "skip, 2, program, high"
  })
  @Execution(ExecutionMode.CONCURRENT)
  void shouldNameTheRankThatHoldsUpTheOthersAndFenceNoNode(
      String how, int rank, String stallClass, String confidence, Scene scene) {
    Hang hang = Hang.of(scene, how, rank, detectsByDefault());
    StallFinding stall = hang.stall();
    assertThat(stall.culprits()).as("%s", stall).extracting(NamedRank::rank).containsExactly(rank);
    assertThat(stall.culprits().getFirst().pod()).endsWith(Hang.pod(rank));
    assertThat(stall.stallClass()).isEqualTo(stallClass);
    assertThat(stall.confidence()).isEqualTo(confidence);
    assertThat(stall.evidence().getFirst())
        .as("where its main thread stands, read from its memory")
        .startsWith("rank %d is in ".formatted(rank))
        .contains("train.py:");
    assertThat(hang.job().awaitEvent("CulpritNamed")).contains("rank " + rank);
    hang.cameBackInPlace();
  }

  /**
   * One that waits in a group, and another in a receive, which the recorder does not show over
   * Gloo: who left out the other half waits for them somewhere else.
   *
   * @param rank the one that leaves out its call
   * @param named the one that seems not to have come, if any
   */
  @ParameterizedTest
  @CsvSource({"skip-group, 1, -1", "recv, 0, 1"})
  @Execution(ExecutionMode.CONCURRENT)
  void shouldNameNoBystanderWhereACallIsLeftOut(String how, int rank, int named, Scene scene) {
    Hang hang = Hang.of(scene, how, rank, detectsByDefault());
    assertThat(hang.stall().culprits())
        .as("%s", hang.stall())
        .extracting(NamedRank::rank)
        .isSubsetOf(rank, named);
    assertThat(hang.stall().stallClass()).isNotIn("network", "device-or-link");
    hang.cameBackInPlace();
  }

  /**
   * It prints no step for a while: its first evaluation prints nothing, or its first rank compiles.
   *
   * @param compiling the rank that compiles, if one does
   */
  @ParameterizedTest
  @CsvSource({"quiet,", "dynamo, 0"})
  @Execution(ExecutionMode.CONCURRENT)
  void shouldLeaveAJobAloneThatIsAtWork(String how, @Nullable Integer compiling, Scene scene)
      throws IOException {
    TrainingJob job =
        scene
            .job(how)
            .workers(2)
            .inPlace()
            .annotation(
                "rekindle.dev/policy", scene.policy("by-default-" + how, detectsByDefault()))
            .env("STALL_HOW", how)
            .env("STALL_AT", "45")
            .start();
    job.awaitStep(25);
    InPlaceRun run = InPlaceRun.of(scene, job);
    Recovery recovery =
        Await.value(
            "a recovery that says that the job is at work",
            Duration.ofMinutes(5),
            () ->
                job.recoveries().all().stream()
                    .filter(r -> Recoveries.phase(r).equals(Optional.of(RecoveryPhase.CANCELLED)))
                    .findFirst(),
            job.recoveries()::describe);
    StallFinding stall = Objects.requireNonNull(Recoveries.cause(recovery).stall());
    assertThat(stall.refuted()).isTrue();
    assertThat(stall.compiling()).isEqualTo(compiling);
    Files.createFile(job.checkpoints().resolve("go-on"));
    job.awaitStep(60);
    assertThat(job.recoveries().all()).as(job.recoveries()::describe).hasSize(1);
    run.wasNotRestarted();
  }

  @Test
  @Execution(ExecutionMode.CONCURRENT)
  void shouldNotRestartWhenARankIsStoppedForLessThanTheTimeout(Scene scene) {
    TrainingJob job =
        scene.job("pause").inPlace().annotation("rekindle.dev/stall-timeout", "40s").start();
    job.awaitStep(15);
    allIsThereBeforeItHangs(job);
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

  /** As a person asks who reads docs/hangs.md. */
  private static void allIsThereBeforeItHangs(TrainingJob job) {
    Await.until(
        "agents have looked at the ranks of " + job.name(),
        Duration.ofMinutes(2),
        () ->
            job.reports().stream().filter(status -> status.witnesses() != null).count()
                == job.pods().size());
    // A paused agent does not report meanwhile, and doctor says so.
    JsonNode checks =
        Await.value("doctor has nothing to say against it", DOCTOR, () -> doctor(job));
    assertThat(checks)
        .as("%s", checks)
        .extracting(c -> c.get("name").asText() + " " + c.get("status").asText())
        .containsExactly(
            "opt-in ok",
            "pods ok",
            "agents ok",
            "steps " + job.name() + "-master-0 ok",
            "steps " + job.name() + "-worker-0 ok",
            "stall ok",
            "checkpoints ok",
            "dump pipe ok",
            "dump path ok",
            "recorder length ok",
            "dump in time ok",
            "restart in place ok");
    assertThat(checks)
        .extracting(c -> c.get("detail").asText())
        .contains("2 of 2 ranks read their pipe", "a stall after 40 s: the job's own");
  }

  /** The checks, where its exit code says that all is well. */
  private static Optional<JsonNode> doctor(TrainingJob job) {
    StringBuilder said = new StringBuilder();
    int code =
        Command.run(
            DOCTOR,
            List.of(
                "env",
                "KUBECONFIG=" + Testbed.RUN.resolve("kube/admin"),
                Testbed.ROOT.resolve("rekindle").toString(),
                "doctor",
                "-o",
                "json",
                "-n",
                Testbed.NAMESPACE,
                job.name()),
            said,
            Testbed::log);
    if (code != 0) {
      Testbed.log("doctor, exit code %d: %s".formatted(code, said));
      return Optional.empty();
    }
    return Optional.of(Serialization.unmarshal(said.toString(), JsonNode.class).get("checks"));
  }

  @Test
  @Execution(ExecutionMode.CONCURRENT)
  void shouldRestartAllRanksAndReplaceNoPodWhenARankIsStopped(Scene scene) {
    TrainingJob job =
        scene
            .job("stopped")
            .workers(2)
            .inPlace()
            .annotation("rekindle.dev/stall-timeout", "15s")
            .start();
    job.awaitStep(25);
    InPlaceRun run = InPlaceRun.of(scene, job);

    Host.signal("STOP", job.processes("worker-0"));
    Recovery recovery = job.recoveries().awaitRecovered();
    run.awaitPast(10);

    assertThat(Recoveries.cause(recovery).reason()).isEqualTo("Stalled");
    assertThat(Recoveries.plan(recovery).restart()).isEqualTo(RestartWay.IN_PLACE);
    run.survived(job.podNames("master-0", "worker-0", "worker-1"));
    run.wentOnFromThePin(recovery);
    run.trainedOnceAndRight(2);
    run.neverSuspended();
    movesWhenTheSameRankStallsAgain(job);
  }

  /** Every pod has kept its node; a second stall at one of them is worth a rebuild elsewhere. */
  private static void movesWhenTheSameRankStallsAgain(TrainingJob job) {
    String node = job.nodeOf("worker-0");
    Host.signal("STOP", job.processes("worker-0"));
    Recovery second = job.recoveries().awaitRecovered(2);
    assertThat(Objects.requireNonNull(Recoveries.cause(second).stall()).culprits())
        .extracting(NamedRank::rank, NamedRank::node)
        .containsExactly(tuple(1, node));
    assertThat(Recoveries.plan(second).restart()).isEqualTo(RestartWay.REBUILD);
    assertThat(Recoveries.plan(second).avoidedNodes()).containsExactly(node);
    assertThat(job.placement().values()).hasSize(3).doesNotContain(node);
    job.awaitProgress(5);
  }

  /** Agents freeze nothing of a gang that is rebuilt, and inspect its ranks all the same. */
  @Test
  @Execution(ExecutionMode.CONCURRENT)
  void shouldNameTheRankOfAGangThatIsRebuiltAndPreferOtherNodes(Scene scene) {
    TrainingJob job =
        scene.job("rebuilt").workers(2).annotation("rekindle.dev/stall-timeout", "15s").start();
    job.awaitStep(25);
    String node = job.nodeOf("worker-0");

    Host.signal("STOP", job.processes("worker-0"));
    Recovery recovery = job.recoveries().awaitRecovered();

    assertThat(Recoveries.plan(recovery).restart()).isEqualTo(RestartWay.REBUILD);
    assertThat(Objects.requireNonNull(Recoveries.cause(recovery).stall()).culprits())
        .extracting(NamedRank::rank, NamedRank::node)
        .containsExactly(tuple(1, node));
    assertThat(Recoveries.plan(recovery).avoidedNodes()).containsExactly(node);
    assertThat(job.annotation("rekindle.dev/avoided-nodes")).contains(node);
    String stall = recovery.getMetadata().getName() + " host";
    Await.until(
        "%s has the stall in its annotation".formatted(node),
        Duration.ofMinutes(1),
        () ->
            Cluster.annotations(scene.cluster().node(node))
                .getOrDefault("rekindle.dev/stalls", "")
                .contains(stall));
    assertThat(Cluster.unschedulable(scene.cluster().node(node))).isFalse();
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
    Recovery recovery = job.recoveries().awaitRecovered();
    run.awaitPast(10);

    assertThat(Recoveries.plan(recovery).restart()).isEqualTo(RestartWay.IN_PLACE);
    assertThat(job.placement().keySet()).as("no pod was made anew").hasSize(3);
    run.survived(job.podNames("worker-1"));
    run.trainedOnceAndRight(2);
    run.neverSuspended();
  }

  @Test
  @Execution(ExecutionMode.CONCURRENT)
  void shouldRestartAllRanksOnceWhenTheScriptRequestsIt(Scene scene) {
    TrainingJob job = scene.job("asked").workers(2).inPlace().env("ASK_RESTART_AT", "45").start();
    job.awaitStep(25);
    InPlaceRun run = InPlaceRun.ofFirst(scene, job);

    Recovery recovery = job.recoveries().awaitRecovered();
    run.awaitPast(50);

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
