package dev.rekindle.testbed;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.CheckpointVerdict;
import dev.rekindle.api.PinnedCheckpoint;
import dev.rekindle.api.Recovery;
import dev.rekindle.api.ResumeAttempt;
import dev.rekindle.api.ResumeResult;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * Checkpoints that are folders, written by real frameworks: torn, replaced, and such that seem
 * complete and are not.
 */
@Order(3)
@OnTestbed
class CheckpointFormatsIT {
  /** Of testbed/job.sh. */
  private static final int CHECKPOINT_EVERY = 10;

  private static final Duration RECOVERED = Duration.ofMinutes(5);

  /** What is done to two jobs while ranks are stopped must not be taken for a stall. */
  private static JobRequest patient(JobRequest request) {
    return request.asThePolicyHasIt().annotation("rekindle.dev/stall-timeout", "90s");
  }

  /** A rank whose GPU is gone stops first, and the others wait for it. */
  @Test
  @OnHalfTheNodes
  void shouldPassOverATornFolderAndAPointerFileWhenAGpuFallsOffTheBus(Scene scene) {
    TrainingJob shards = patient(scene.job("dcp")).script("fsdp.py").start();
    String node = shards.nodeOf("worker-0");
    TrainingJob trainer =
        patient(scene.job("hf"))
            .script("huggingface.py")
            .checkpointsIn("Läufe-実験")
            .workerPrefers(node)
            .start();
    shards.awaitStep(35);
    trainer.awaitStep(35);
    assertThat(trainer.nodeOf("worker-0")).isEqualTo(node);
    InPlaceRun ofShards = InPlaceRun.of(scene, shards);
    InPlaceRun ofTrainer = InPlaceRun.of(scene, trainer);
    hang(shards);
    hang(trainer);
    Map.Entry<Long, Path> torn = CheckpointFolders.of(shards).lastEntry();
    Map.Entry<Long, Path> pointer = CheckpointFolders.of(trainer).lastEntry();
    CheckpointFolders.cutOff(torn.getValue().resolve("__1_0.distcp"));
    CheckpointFolders.replaceByPointer(pointer.getValue().resolve("model.safetensors"));

    scene.cluster().inject(node, Cluster.gpuOffTheBus());
    Recovery shardsBack = shards.recoveries().awaitRecovered();
    Recovery trainerBack = trainer.recoveries().awaitRecovered();
    ofShards.awaitPast(20);
    ofTrainer.awaitPast(20);

    passedOver(shards, shardsBack, torn.getKey(), "dcp", "torn (__1_0.distcp has ");
    passedOver(trainer, trainerBack, pointer.getKey(), "huggingface", "unknown (model.safetensors");
    assertThat(Recoveries.checkpoint(trainerBack).message()).contains("Git LFS");
    for (Recovery recovery : List.of(shardsBack, trainerBack)) {
      assertThat(Recoveries.cause(recovery).faultyNodes()).containsExactly(node);
      assertThat(Recoveries.outcome(recovery).resume()).isEqualTo(ResumeResult.PROVEN);
    }
    assertThat(Recoveries.checkpoint(trainerBack).path()).contains("/Läufe-実験/checkpoint-");
    assertThat(ofShards.firstStep()).isEqualTo(torn.getKey() - 9);
    assertThat(ofTrainer.firstStep()).isEqualTo(pointer.getKey() - 9);
  }

  /**
   * Stops the worker of a job at a moment at which no checkpoint is being written, and waits until
   * the others wait for it. A save comes right after each tenth step, and takes its time.
   */
  private static void hang(TrainingJob job) {
    List<Long> worker = job.processes("worker-0");
    Await.until(
        "%s stands between two saves".formatted(job.name()),
        Duration.ofMinutes(2),
        () -> {
          Host.signal("STOP", worker);
          long between = standsAt(job) % CHECKPOINT_EVERY;
          // A rank that stood still, too, may print one step more.
          if (between > 0 && between < CHECKPOINT_EVERY - 1) {
            return true;
          }
          Host.signal("CONT", worker);
          // Else it could be stopped at the same step again and again.
          job.awaitProgress(2);
          return false;
        });
  }

  private static long standsAt(TrainingJob job) {
    return Await.value(
        "the other ranks of %s wait".formatted(job.name()),
        Duration.ofMinutes(1),
        () -> {
          long reached = job.log().reached();
          Await.pause(Duration.ofSeconds(1));
          return job.log().reached() == reached ? Optional.of(reached) : Optional.empty();
        });
  }

  private static void passedOver(
      TrainingJob job, Recovery recovery, long newest, String format, String why) {
    PinnedCheckpoint pin = Recoveries.checkpoint(recovery);
    assertThat(pin.verdict()).isEqualTo(CheckpointVerdict.VALID);
    assertThat(pin.format()).isEqualTo(format);
    assertThat(pin.step()).isEqualTo(newest - 10);
    assertThat(pin.message()).contains("passed over step %d %s".formatted(newest, why));
    assertThat(job.awaitEvent("CheckpointPinned")).contains("step " + newest);
  }

  @Test
  @OnHalfTheNodes
  void shouldGoOneBackWhenAWholeCheckpointGivesNaN(Scene scene) {
    TrainingJob job =
        scene
            .job("nan")
            .script("huggingface.py")
            // A gang that is slow to end continues to save, and this must not remove the valid
            // ones.
            .env("CHECKPOINT_KEEP", "1000")
            .restartPolicy("Never")
            .asThePolicyHasIt()
            .start();
    job.awaitStep(35);
    InPlaceRun run = InPlaceRun.of(scene, job);
    hang(job);
    Map.Entry<Long, Path> poisoned = CheckpointFolders.of(job).lastEntry();
    CheckpointFolders.fillWithNaN(poisoned.getValue().resolve("model.safetensors"));

    Host.kill(job.processes("worker-0"));
    run.awaitPast(20);
    resumedFromTheOneBefore(scene, job, poisoned.getKey(), ResumeResult.LOSS_NOT_FINITE);
  }

  /**
   * The kubelets restart the gang, its script takes the bad one on its own, and no second start
   * from it is left to them. It takes longest, so that the others run beside it.
   */
  @Test
  @Order(1)
  @OnHalfTheNodes
  void shouldGoOneBackAtOnceWhenAWholeCheckpointDoesNotLoad(Scene scene) {
    Lost lost = loseTheNewest(scene, "OnFailure");
    assertThat(lost.job().recoveries().all())
        .singleElement()
        .satisfies(
            recovery -> {
              assertThat(Objects.requireNonNull(Recoveries.status(recovery).cause()).reason())
                  .isEqualTo("CheckpointNotLoaded");
              assertThat(Recoveries.status(recovery).attempt()).isEqualTo(1);
              assertThat(Recoveries.checkpoint(recovery).step()).isEqualTo(lost.step() - 10);
            });
  }

  @Test
  @EnabledIfSystemProperty(named = Testbed.ALL, matches = "true")
  @OnHalfTheNodes
  void shouldGoOneBackAtOnceWhenThePinnedCheckpointDoesNotLoad(Scene scene) {
    Lost lost = loseTheNewest(scene, "Never");
    resumedFromTheOneBefore(scene, lost.job(), lost.step(), ResumeResult.LOAD_ERROR);
  }

  /** A job that trains again, and the step of the checkpoint that it could not load. */
  private record Lost(TrainingJob job, long step) {}

  private static Lost loseTheNewest(Scene scene, String policy) {
    TrainingJob job =
        scene.job("lost").script("fsdp.py").restartPolicy(policy).asThePolicyHasIt().start();
    job.awaitStep(35);
    InPlaceRun run = InPlaceRun.of(scene, job);
    hang(job);
    Map.Entry<Long, Path> lost = CheckpointFolders.of(job).lastEntry();
    CheckpointFolders.loseTheMiddle(lost.getValue().resolve("__1_0.distcp"));

    Host.kill(job.processes("worker-0"));
    run.awaitPast(20);
    return new Lost(job, lost.getKey());
  }

  /** Whether the bad checkpoint shows at the first step or a little later depends on the log. */
  private static void resumedFromTheOneBefore(
      Scene scene, TrainingJob job, long spent, ResumeResult why) {
    // The first recovery may be over before the loss is seen, and the next one is to come then.
    Recovery last =
        Await.value(
            "a recovery from step " + (spent - 10),
            RECOVERED,
            () ->
                job.recoveries().all().stream()
                    .filter(Recoveries::recovered)
                    .filter(r -> Recoveries.status(r).plan() != null)
                    .filter(r -> Objects.equals(Recoveries.checkpoint(r).step(), spent - 10))
                    .findFirst(),
            job.recoveries()::describe);
    List<Recovery> all = job.recoveries().all();
    long cycles =
        all.stream()
            .filter(r -> Recoveries.status(r).plan() != null)
            .filter(r -> Objects.equals(Recoveries.checkpoint(r).step(), spent))
            .count();
    List<ResumeAttempt> failed =
        all.stream().flatMap(r -> Recoveries.status(r).resumes().stream()).toList();
    assertThat(failed)
        .allSatisfy(
            attempt -> {
              assertThat(attempt.step()).isEqualTo(spent);
              assertThat(attempt.result()).isEqualTo(why);
              assertThat(attempt.node()).as("no node has to do with it").isEmpty();
            });
    assertThat(cycles + failed.size()).as("cycles on the bad checkpoint").isBetween(1L, 2L);
    assertThat(Recoveries.checkpoint(last).step()).isEqualTo(spent - 10);
    assertThat(Recoveries.outcome(last).resume()).isEqualTo(ResumeResult.PROVEN);
    assertThat(Recoveries.plan(last).excludedNodes()).isEmpty();
    assertThat(Recoveries.plan(last).avoidedNodes()).isEmpty();
    assertThat(scene.cluster().nodes()).as("no node is fenced").noneMatch(Cluster::unschedulable);
  }
}
