package dev.rekindle.testbed;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.rekindle.api.CheckpointVerdict;
import dev.rekindle.api.PinnedCheckpoint;
import dev.rekindle.api.Recovery;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryPolicySpec;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A rank dies, under every restart policy: by SIGKILL, or as a container that exits 1; or it is
 * killed while it saves. No node is touched, so that jobs can be tested side by side.
 */
@Order(2)
@OnTestbed
class FailingRankIT {
  /**
   * Runs the trainer beside a poll for a file that requests an end: train.py has no such option of
   * its own.
   */
  private static final String EXITS_ON_REQUEST =
      """
      python3 /opt/example/train.py & rank=$!
      while kill -0 $rank 2> /dev/null; do
        if [ -e /ckpt/exit-$HOSTNAME ]; then rm /ckpt/exit-$HOSTNAME; kill -9 $rank; exit 1; fi
        sleep 0.1
      done
      wait $rank
      """;

  /** The kubelet's back-off, and the start of PyTorch beside two other jobs that start. */
  private static final Duration RUNS_AGAIN = Duration.ofMinutes(3);

  /** As long is given to the kubelets; the 45 s of the testbed are less than that at times. */
  private static RecoveryPolicySpec patientWithKubelets() {
    return Serialization.unmarshal(
        """
        detection: {stallSeconds: 60, silentNodeSeconds: 30, kubeletRestartSeconds: %d}
        timeouts: {gracePeriodCapSeconds: 1, inspectSeconds: 60, readyStableSeconds: 5}
        """
            .formatted(RUNS_AGAIN.toSeconds()),
        RecoveryPolicySpec.class);
  }

  @Execution(ExecutionMode.CONCURRENT)
  @ParameterizedTest(name = "{1} under {0}")
  @CsvSource({
    "OnFailure, SIGKILL, false",
    "Always, exit 1, false",
    // The operator distinguishes a signal from an error of the program under this policy only.
    "ExitCode, SIGKILL, true",
    "ExitCode, exit 1, true",
    "Never, SIGKILL, true",
  })
  void shouldTrainOnWhenARankDies(String policy, String death, boolean ours, Scene scene) {
    JobRequest request =
        scene.job("dies").restartPolicy(policy).editTemplates(FailingRankIT::exitOnRequest);
    if (!ours) {
      request.annotation("rekindle.dev/policy", scene.policy("kubelets", patientWithKubelets()));
    }
    TrainingJob job = request.start();
    job.awaitStep(15);
    Set<String> old = job.placement().keySet();
    if (death.equals("SIGKILL")) {
      Host.kill(job.processes("worker-0"));
    } else {
      askToExit(job, "worker-0");
    }
    if (ours) {
      broughtBackByUs(job, old);
    } else {
      broughtBackByTheKubelet(job, old);
    }
    assertThat(scene.cluster().nodes()).as("no node is fenced").noneMatch(Cluster::unschedulable);
  }

  @Test
  @Execution(ExecutionMode.CONCURRENT)
  void shouldResumeFromTheNewestWholeCheckpointWhenTheNewestIsTorn(Scene scene) {
    TrainingJob job =
        scene
            .job("torn")
            .restartPolicy("Never")
            .set("CHECKPOINT_ATOMIC", "0")
            .set("CHECKPOINT_PADDING_MB", Integer.toString(TornSave.PADDING_MB))
            .start();
    job.awaitStep(22);
    Set<String> old = job.placement().keySet();

    long torn = TornSave.kill(job);
    List<Long> present = List.copyOf(TornSave.checkpoints(job).keySet());
    Recovery recovery = job.recoveries().awaitRecovered();

    long whole = present.stream().filter(s -> s < torn).max(Long::compare).orElseThrow();
    PinnedCheckpoint pin = Recoveries.checkpoint(recovery);
    assertThat(pin.verdict()).isEqualTo(CheckpointVerdict.VALID);
    assertThat(pin.step()).as("the newest complete one of %s", present).isEqualTo(whole);
    assertThat(pin.message())
        .as("which one was passed over, and why")
        .contains("passed over", "step " + torn, "torn");
    assertThat(job.awaitEvent("CheckpointPinned")).contains("step " + torn);
    job.awaitNewGenerationPast(whole, old);
    TrainingLog.Step first = job.log().steps(s -> !old.contains(s.uid())).getFirst();
    assertThat(first.step()).isEqualTo(whole + 1);
    assertThat(Objects.requireNonNull(Recoveries.outcome(recovery).resumedStep())).isEqualTo(whole);
  }

  private static void broughtBackByUs(TrainingJob job, Set<String> old) {
    Recovery recovery = job.recoveries().awaitRecovered();
    long reached = job.log().reached(s -> old.contains(s.uid()));
    job.awaitNewGenerationPast(reached, old);
    assertThat(Recoveries.cause(recovery).reason()).isIn("PodFailed", "JobFailed");
    assertThat(Recoveries.cause(recovery).evidence()).isNotEmpty();
    assertThat(Recoveries.plan(recovery).excludedNodes()).isEmpty();
    assertThat(job.pods()).allMatch(p -> !old.contains(p.getMetadata().getUid()));
  }

  private static void broughtBackByTheKubelet(TrainingJob job, Set<String> old) {
    Await.until(
        "a second run of the containers of " + job.name(),
        RUNS_AGAIN,
        () -> job.log().steps().stream().anyMatch(s -> s.line().run() > 0),
        job::describePods);
    long reached = job.log().reached(s -> s.line().run() == 0);
    Await.until(
        "steps past " + reached,
        RUNS_AGAIN,
        () -> job.log().reached() > reached + 5,
        job::describePods);
    Recovery recorded = job.recoveries().awaitRecovered();
    assertThat(Recoveries.phases(recorded))
        .as("nothing for us to do")
        .containsExactly(RecoveryPhase.DETECTED, RecoveryPhase.RECOVERED);
    assertThat(Recoveries.cause(recorded).reason()).isEqualTo("ContainerEnded");
    assertThat(Recoveries.plan(recorded).restart()).isNull();
    assertThat(Recoveries.outcome(recorded).downtimeSeconds())
        .isBetween(1.0, (double) RUNS_AGAIN.toSeconds());
    assertThat(job.placement().keySet()).as("the same pods").isEqualTo(old);
    // A rank may step before its kubelet has said so.
    Await.until(
        "the kubelets report the restarts",
        RUNS_AGAIN,
        () -> job.pods().stream().allMatch(p -> restarts(p) > 0),
        job::describePods);
  }

  private static int restarts(Pod pod) {
    return pod.getStatus().getContainerStatuses().stream()
        .mapToInt(ContainerStatus::getRestartCount)
        .sum();
  }

  private static void exitOnRequest(ObjectNode template) {
    ObjectNode container = (ObjectNode) template.at("/spec/containers/0");
    container.putArray("command").add("sh").add("-c").add(EXITS_ON_REQUEST);
  }

  private static void askToExit(TrainingJob job, String rank) {
    try {
      Files.createFile(job.checkpoints().resolve("exit-" + job.name() + "-" + rank));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
