package dev.rekindle.testbed;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.CheckpointVerdict;
import dev.rekindle.api.PinnedCheckpoint;
import dev.rekindle.api.Recovery;
import dev.rekindle.api.ResumeResult;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

/** A node stops to answer: with its pods, or only its kubelet while they train on. */
@Order(4)
@OnTestbed
class SilentNodeIT {
  /** The controller manager takes 20 s, and up to 5 s more, to call a node NotReady. */
  private static final Duration NOT_READY = Duration.ofMinutes(2);

  /** Where rank 0 of a job begins, if it is free. */
  private static final String FIRST = "rekindle.testbed/first";

  @Test
  @OnHalfTheNodes
  void shouldRestartWithoutTheNodeAndNeverTrainTwiceWhenItComesBack(Scene scene) {
    // Longer than a node takes to be NotReady, or the stall is seen first.
    TrainingJob job =
        scene.job("silent").workers(2).annotation("rekindle.dev/stall-timeout", "2m").start();
    job.awaitStep(25);
    String silent = job.nodeOf("worker-1");
    String lostPod = job.pod("worker-1").getMetadata().getUid();
    Set<String> old = job.placement().keySet();

    scene.cluster().freeze(silent);
    Recovery recovery = job.recoveries().awaitRecovered();
    long reached = job.log().reached(s -> old.contains(s.uid()));
    job.awaitNewGenerationPast(reached, old);

    assertThat(Recoveries.cause(recovery).reason()).isEqualTo("NodeSilent");
    assertThat(Recoveries.cause(recovery).silentNodes()).containsExactly(silent);
    assertThat(Recoveries.plan(recovery).excludedNodes()).containsExactly(silent);
    assertThat(job.placement().values()).hasSize(3).doesNotContain(silent);
    assertThat(Generations.of(scene.recorder().pods(job)))
        .as("no pod existed between the two generations")
        .hasSize(2);
    assertThat(scene.recorder().pods(job))
        .as("the pod on the silent node was removed by force, after the others were gone")
        .filteredOn(s -> s.uid().equals(lostPod) && s.gone())
        .hasSize(1)
        .allSatisfy(
            s -> assertThat(s.revision()).isGreaterThan(goneLast(scene, job, old, lostPod)));
    awake(scene, job, silent, lostPod, old);
    assertThat(scene.recorder().node(silent))
        .as("a silent node is excluded, never fenced")
        .noneMatch(s -> Cluster.unschedulable(s.object()));
  }

  private static long goneLast(Scene scene, TrainingJob job, Set<String> old, String lostPod) {
    return scene.recorder().pods(job).stream()
        .filter(s -> s.gone() && old.contains(s.uid()) && !s.uid().equals(lostPod))
        .mapToLong(Recorder.ObjectVersion::revision)
        .max()
        .orElseThrow();
  }

  /** The node comes back, its pods before its kubelet: what they do then is the question. */
  private static void awake(
      Scene scene, TrainingJob job, String silent, String lostPod, Set<String> old) {
    Instant firstNew = job.log().steps(s -> !old.contains(s.uid())).getFirst().time();
    scene.cluster().thaw(silent);
    Await.until(
        "node %s Ready again".formatted(silent),
        NOT_READY,
        () -> Cluster.ready(scene.cluster().node(silent)));
    job.awaitProgress(30);
    long ofPeers = job.log().reached(s -> old.contains(s.uid()) && !s.uid().equals(lostPod));
    List<TrainingLog.Step> ghosts =
        job.log().steps(s -> old.contains(s.uid()) && s.time().isAfter(firstNew));
    // A process that was frozen between the collective of a step and its line prints the line now.
    assertThat(ghosts)
        .as("steps of the old generation beside the new one")
        .hasSizeLessThanOrEqualTo(1)
        .allSatisfy(
            s -> {
              assertThat(s.uid()).isEqualTo(lostPod);
              assertThat(s.step()).isLessThanOrEqualTo(ofPeers);
            });
    assertThat(job.recoveries().all()).hasSize(1);
    Set<String> now = job.placement().keySet();
    assertThat(now).doesNotContainAnyElementsOf(old).hasSize(3);
  }

  @Test
  @OnHalfTheNodes
  void shouldLeaveAloneAJobThatTrainsOnWhileAKubeletIsSilent(Scene scene) {
    TrainingJob job = scene.job("deaf").light().start();
    job.awaitStep(15);
    String silent = job.nodeOf("worker-0");
    Set<String> old = job.placement().keySet();

    scene.cluster().freezeKubelet(silent);
    Await.until(
        "node %s NotReady".formatted(silent),
        NOT_READY,
        () -> !Cluster.ready(scene.cluster().node(silent)));
    long atNotReady = job.log().reached();
    // Twice the 8 s after which the testbed's policy gives up on a silent node whose gang stands.
    Await.never(
        "a recovery of a job that trains",
        Duration.ofSeconds(18),
        () -> !job.recoveries().all().isEmpty() || job.suspended());
    job.awaitStep(atNotReady + 30);
    assertThat(job.recoveries().all()).as("steps went on").isEmpty();
    scene.cluster().thaw(silent);
    Await.until(
        "node %s Ready again".formatted(silent),
        NOT_READY,
        () -> Cluster.ready(scene.cluster().node(silent)));
    job.awaitProgress(10);
    assertThat(job.recoveries().all()).isEmpty();
    assertThat(job.placement().keySet()).isEqualTo(old);
    assertThat(runs(job, old)).as("no container was restarted").containsExactly(0);
  }

  /** Rank 0 saves on a disk of its node alone, and no script may begin without that. */
  @Test
  @OnHalfTheNodes
  void shouldHoldWhileTheNodeWithTheOnlyCopyIsSilentAndResumeWhenItIsBack(Scene scene) {
    String node = scene.cluster().nodes().getFirst().getMetadata().getName();
    TrainingJob job =
        scene
            .job("local")
            .checkpointsOnADiskOf(node)
            .annotation("rekindle.dev/stall-timeout", "2m")
            .start();
    job.awaitStep(25);
    assertThat(job.nodeOf("master-0")).isEqualTo(node);
    Set<String> old = job.placement().keySet();

    scene.cluster().freeze(node);
    Recovery held = job.recoveries().awaitHeld();
    assertThat(Recoveries.words(held))
        .anySatisfy(
            words ->
                assertThat(words)
                    .contains("claim " + job.name() + " (local) has the only copy")
                    .contains("on node " + node + " (silent); bring it back")
                    .contains("rekindle.dev/checkpoint-unreachable: script"));
    assertThat(job.suspended()).as("nothing begins without it").isTrue();
    assertThat(job.awaitEvent("RecoveryHeld")).contains(node);
    long reached = job.log().reached(s -> old.contains(s.uid()));

    scene.cluster().thaw(node);
    Recovery back = job.recoveries().awaitRecovered();
    PinnedCheckpoint pin = Recoveries.checkpoint(back);
    assertThat(pin.verdict()).isEqualTo(CheckpointVerdict.VALID);
    assertThat(pin.step()).as("not from the beginning").isGreaterThanOrEqualTo(10);
    assertThat(Recoveries.outcome(back).resume()).isEqualTo(ResumeResult.PROVEN);
    job.awaitNewGenerationPast(reached, old);
    assertThat(job.nodeOf("master-0")).isEqualTo(node);
    assertThat(Recoveries.status(back).attempt()).isOne();
  }

  /**
   * Rank 0 saves on a path of the host, which is another disk on each node, and the templates lead
   * it elsewhere by the time that its node is back. The other rank of one of two such jobs has an
   * older copy on its node, and the owner lets the script continue with that.
   */
  @Test
  @OnHalfTheNodes
  void shouldHoldForThePathOfADeadNodeUnlessTheScriptMayGoOnWithWhatOthersHave(Scene scene) {
    String dead = scene.cluster().nodes().getFirst().getMetadata().getName();
    scene.cluster().label(dead, FIRST, "yes");
    TrainingJob only = savesOnItsNode(scene, "only");
    TrainingJob older = savesOnItsNode(scene, "older");
    only.awaitStep(25);
    older.awaitStep(25);
    String remains = older.nodeOf("worker-0");
    assertThat(List.of(only.nodeOf("master-0"), older.nodeOf("master-0"))).containsOnly(dead);
    NodeDisks.copyIteration(older.name(), 10, dead, remains);
    scene.cluster().label(dead, FIRST, "no");
    scene.cluster().label(noneOf(scene, dead, remains, only.nodeOf("worker-0")), FIRST, "yes");

    scene.cluster().freeze(dead);
    for (TrainingJob job : List.of(only, older)) {
      assertThat(Recoveries.words(job.recoveries().awaitHeld()))
          .anySatisfy(
              words ->
                  assertThat(words)
                      .contains(dead + " is out of reach, so that the only copy is there")
                      .contains("rekindle.dev/checkpoint-unreachable: script"));
      assertThat(job.awaitEvent("RecoveryHeld")).contains(dead);
      assertThat(job.suspended()).as("nothing begins without it").isTrue();
    }

    older.annotate("rekindle.dev/checkpoint-unreachable", "script");
    Recovery without = older.recoveries().awaitRecovered();
    assertThat(Recoveries.outcome(without).firstStepAfter()).isEqualTo(11);
    assertThat(older.nodeOf("master-0")).as("what remains is there").isEqualTo(remains);

    scene.cluster().thaw(dead);
    Recovery back = only.recoveries().awaitRecovered();
    assertThat(Recoveries.outcome(back).firstStepAfter())
        .as("not from the beginning")
        .isGreaterThan(20);
    assertThat(only.nodeOf("master-0")).isEqualTo(dead);
    assertThat(Recoveries.status(back).attempt()).isOne();
  }

  private static TrainingJob savesOnItsNode(Scene scene, String kind) {
    return scene
        .job(kind)
        .set("EXAMPLE_DIR", Testbed.ROOT.resolve("testbed/jobs").toString())
        .script("saves.py")
        .env("SAVE_TO", "/ckpt")
        .checkpointsOnDisksOfNodes()
        .masterPrefers(FIRST, "yes")
        .annotation("rekindle.dev/stall-timeout", "2m")
        .start();
  }

  private static String noneOf(Scene scene, String... nodes) {
    return scene.cluster().nodes().stream()
        .map(node -> node.getMetadata().getName())
        .filter(name -> !List.of(nodes).contains(name))
        .findFirst()
        .orElseThrow();
  }

  private static Set<Integer> runs(TrainingJob job, Set<String> uids) {
    return job.log().steps().stream()
        .filter(s -> uids.contains(s.uid()))
        .map(s -> s.line().run())
        .collect(Collectors.toSet());
  }
}
