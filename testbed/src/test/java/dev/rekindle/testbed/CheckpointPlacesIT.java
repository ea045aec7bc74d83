package dev.rekindle.testbed;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.CheckpointVerdict;
import dev.rekindle.api.PinnedCheckpoint;
import dev.rekindle.api.Recovery;
import dev.rekindle.api.ResumeResult;
import dev.rekindle.api.TrackerChange;
import dev.rekindle.api.TrackerResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;

/** Checkpoints in an object store, and such that a script finds by a tracker alone. */
@Order(3)
@OnTestbed
class CheckpointPlacesIT {
  private static final String NODES = "nodes";
  private static final int TORN = 40;

  private static JobRequest saves(Scene scene, String name, String to) {
    return scene
        .job(name)
        .set("EXAMPLE_DIR", Testbed.ROOT.resolve("testbed/jobs").toString())
        .script("saves.py")
        .env("SAVE_TO", to)
        .env("TORN_AT", Integer.toString(TORN))
        .restartPolicy("Never");
  }

  private static Recovery recovered(TrainingJob job) {
    job.awaitStep(TORN + 2);
    // The ranks begin together and count each for itself: one that kills the other may be ahead.
    Await.until(
        "the torn save of " + job.name(),
        Duration.ofMinutes(2),
        () ->
            job.log().lines().stream()
                .anyMatch(l -> l.text().equals("REKINDLE saved step " + TORN)),
        job::describePods);
    Host.kill(job.processes("worker-0"));
    Recovery back = job.recoveries().awaitRecovered();
    PinnedCheckpoint pin = Recoveries.checkpoint(back);
    assertThat(pin.verdict()).isEqualTo(CheckpointVerdict.VALID);
    assertThat(pin.step()).isEqualTo(TORN - 10);
    assertThat(pin.message()).contains("passed over step " + TORN + " torn (");
    assertThat(Recoveries.outcome(back).resume()).isEqualTo(ResumeResult.PROVEN);
    assertThat(Recoveries.outcome(back).firstStepAfter()).isEqualTo(TORN - 9);
    assertThat(Recoveries.status(back).attempt()).isOne();
    return back;
  }

  /** The inspector has the keys from the job's Secret, and asks a server that is not ours. */
  @Test
  @Execution(ExecutionMode.CONCURRENT)
  @ResourceLock(value = NODES, mode = ResourceAccessMode.READ)
  void shouldResumeFromABucketPastATornObject(Scene scene) {
    try (ObjectStore store = ObjectStore.start(scene.client())) {
      TrainingJob job =
          saves(scene, "bucket", store.endpoint() + "/" + ObjectStore.BUCKET + "/run")
              .annotation("rekindle.dev/checkpoint", "s3://" + ObjectStore.BUCKET + "/run")
              .annotation("rekindle.dev/checkpoint-endpoint", store.endpoint())
              .start();

      Recovery back = recovered(job);
      assertThat(Recoveries.checkpoint(back).path())
          .isEqualTo("s3://%s/run/step-000000%d.pt".formatted(ObjectStore.BUCKET, TORN - 10));
    }
  }

  /** The script is given nothing, and would load the torn one. */
  @Test
  @Execution(ExecutionMode.CONCURRENT)
  @ResourceLock(value = NODES, mode = ResourceAccessMode.READ)
  void shouldMakeATrackerNameTheOneBeforeATornOne(Scene scene) throws IOException {
    TrainingJob job =
        saves(scene, "tracked", "/ckpt")
            .annotation("rekindle.dev/resume", "none")
            .annotation("rekindle.dev/checkpoint-tracker", "rewrite")
            .start();

    Recovery back = recovered(job);
    TrackerChange change = Objects.requireNonNull(Recoveries.plan(back).tracker());
    assertThat(change.result()).isEqualTo(TrackerResult.REWRITTEN);
    assertThat(change.before()).isEqualTo("40");
    assertThat(change.now()).isEqualTo("30");
    Path kept = job.checkpoints().resolve(change.kept());
    assertThat(Files.readString(kept)).isEqualTo("40");
    assertThat(job.awaitEvent("TrackerRewritten")).contains(change.kept());
  }

  /**
   * It is not known whether the path is the same storage on every node. A pod on each node of the
   * gang reads it there, and they find the same files.
   */
  @Test
  @Execution(ExecutionMode.CONCURRENT)
  @ResourceLock(value = NODES, mode = ResourceAccessMode.READ)
  void shouldReadAHostPathOnEachNodeOfTheGang(Scene scene) {
    TrainingJob job =
        scene
            .job("each")
            .annotation("rekindle.dev/checkpoint-shared", "false")
            .restartPolicy("Never")
            .start();
    job.awaitStep(TORN);
    Host.kill(job.processes("worker-0"));

    Recovery back = job.recoveries().awaitRecovered();
    PinnedCheckpoint pin = Recoveries.checkpoint(back);
    assertThat(pin.verdict()).isEqualTo(CheckpointVerdict.VALID);
    assertThat(pin.nodes()).as("the same files on all nodes").isEmpty();
    assertThat(Recoveries.outcome(back).resume()).isEqualTo(ResumeResult.PROVEN);
  }
}
