package dev.rekindle.testbed;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.rekindle.api.PlacementPlan;
import dev.rekindle.api.Recovery;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RestartInstruction;
import dev.rekindle.api.RestartReport;
import dev.rekindle.api.RestartWay;
import io.fabric8.kubernetes.api.model.Node;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

/**
 * Gangs that are restarted where they are: frozen, replaced where a node is fenced, killed rank 0
 * first, and training again from the checkpoint.
 */
@Order(5)
@OnTestbed
class RestartInPlaceIT {
  /** The longest comes first: it ends while the others run. */
  @Test
  @OnHalfTheNodes
  @Order(1)
  void shouldRebuildWhenASurvivorsNodeFallsSilentAfterTheFreeze(Scene scene) {
    TrainingJob job = scene.job("lost").workers(1).inPlace().start();
    job.awaitStep(25);
    InPlaceRun run = InPlaceRun.of(scene, job);
    String survivor = job.nodeOf("master-0");
    CompletableFuture<?> frozen =
        scene
            .recorder()
            .once(
                RestartReport.class,
                r ->
                    r.getSpec().node().equals(survivor)
                        && r.getSpec().done() == RestartInstruction.FREEZE,
                () -> scene.cluster().freeze(survivor));

    scene.cluster().inject(job.nodeOf("worker-0"), Cluster.gpuOffTheBus());
    Recovery recovery = job.recoveries().awaitRecovered();
    run.awaitPast(10);

    assertThat(frozen).isCompleted();
    assertThat(Recoveries.plan(recovery).restart()).isEqualTo(RestartWay.REBUILD);
    job.awaitEvent("FallbackToRebuild");
    assertThat(job.placement().values()).doesNotContain(survivor);
    scene.cluster().thaw(survivor);
    job.awaitProgress(30);
    run.trainedOnceAndRight(1);
  }

  @Test
  @OnHalfTheNodes
  void shouldReplaceAPodOnTheNearestFreeNodeAndTakeThePreferenceBack(Scene scene) {
    TrainingJob job = scene.job("near").inPlace().start();
    job.awaitStep(25);
    String lost = job.nodeOf("worker-0");
    List<String> free =
        scene.cluster().nodes().stream()
            .map(n -> n.getMetadata().getName())
            .filter(n -> !job.placement().containsValue(n))
            .sorted()
            .toList();
    String near = free.getLast();
    for (Node node : scene.cluster().nodes()) {
      String name = node.getMetadata().getName();
      boolean together = name.equals(lost) || name.equals(near);
      scene.cluster().label(name, "fabric.topograph.run/tier-0", together ? "near" : "far");
    }
    Object written = Objects.requireNonNull(job.object().<Object>get("spec"));
    InPlaceRun run = InPlaceRun.of(scene, job);

    scene.cluster().inject(lost, Cluster.gpuOffTheBus());
    Recovery recovery = job.recoveries().awaitRecovered();
    run.awaitPast(20);

    PlacementPlan plan = Objects.requireNonNull(Recoveries.plan(recovery).placement());
    assertThat(plan.replacements())
        .containsExactly(new PlacementPlan.Replacement(job.name() + "-worker-0", lost, near, 0));
    assertThat(job.nodeOf("worker-0")).isEqualTo(near);
    run.survived(job.podNames("master-0"));
    run.replaced(job.name() + "-worker-0");
    run.neverSuspended();
    assertThat(job.awaitEvent("PlacementPlanned")).contains(near);
    Await.until(
        "the job is what its owner wrote",
        Duration.ofMinutes(2),
        () ->
            job.annotation("rekindle.dev/planned-nodes").isEmpty()
                && written.equals(job.object().get("spec")));
  }

  /** Two GPUs fall off the bus at once, on nodes of their own: one recovery, two replacements. */
  @Test
  @OnHalfTheNodes
  void shouldReplaceTwoOfFourAtOnceAndKeepTwoWhereTheyAre(Scene scene) {
    TrainingJob job = scene.job("four").workers(3).sharingNodes().inPlace().start();
    job.awaitStep(25);
    assertThat(Set.copyOf(job.placement().values())).as("nodes of the gang").hasSize(4);
    InPlaceRun run = InPlaceRun.of(scene, job);

    List<String> lost = List.of(job.nodeOf("worker-0"), job.nodeOf("worker-2"));
    lost.forEach(node -> scene.cluster().inject(node, Cluster.gpuOffTheBus()));
    Recovery recovery = job.recoveries().awaitRecovered();
    run.awaitPast(20);

    assertThat(job.recoveries().all()).as("for both of them").hasSize(1);
    assertThat(Recoveries.cause(recovery).faultyNodes()).containsExactlyInAnyOrderElementsOf(lost);
    assertThat(Recoveries.plan(recovery).restart()).isEqualTo(RestartWay.IN_PLACE);
    assertThat(Recoveries.plan(recovery).restartReason()).contains("2 of 4 pods");
    // The second may be reported once the gang is being frozen for the first.
    List<RecoveryPhase> phases = Recoveries.phases(recovery);
    assertThat(phases).filteredOn(RecoveryPhase.FENCING::equals).hasSizeBetween(1, 2);
    assertThat(phases.subList(phases.lastIndexOf(RecoveryPhase.FENCING), phases.size()))
        .containsExactlyElementsOf(Recoveries.STRAIGHT_ON.subList(1, 7));
    assertThat(recovery.getStatus().attempt()).isEqualTo(1);
    run.survived(job.podNames("master-0", "worker-1"));
    run.replaced(job.name() + "-worker-0");
    run.replaced(job.name() + "-worker-2");
    assertThat(Set.copyOf(job.placement().values())).as("they share nodes now").hasSize(2);
    run.wentOnFromThePin(recovery);
    run.trainedOnceAndAlike();
    run.neverSuspended();
    run.spokeLittle();
    for (String reason : List.of("GangFrozen", "CheckpointPinned", "JobRestartedInPlace")) {
      job.awaitEvent(reason);
    }
  }

  @Test
  @OnHalfTheNodes
  void shouldGoBackInPlaceAsTheScriptAsksAndNotReturn(Scene scene) {
    TrainingJob job =
        scene
            .job("back")
            .inPlace()
            .resumesByAnnotation()
            .env("CHECKPOINT_KEEP", "20")
            .env("ASK_RESTART_AT", "57")
            .env("ASK_RESTART_BEFORE", "35")
            .start();
    job.awaitStep(25);
    InPlaceRun run = InPlaceRun.ofFirst(scene, job);

    Recovery recovery = job.recoveries().awaitRecovered();
    run.awaitPast(10);

    assertThat(Recoveries.cause(recovery).beforeStep()).isEqualTo(35);
    assertThat(Recoveries.plan(recovery).restart()).isEqualTo(RestartWay.IN_PLACE);
    assertThat(Recoveries.checkpoint(recovery).step()).isEqualTo(30);
    assertThat(Recoveries.checkpoint(recovery).rollBack()).isNotNull();
    run.survived(job.podNames("master-0", "worker-0"));
    assertThat(run.firstStep()).isEqualTo(31);
    run.trainedOnceAndRight(1);
    run.neverSuspended();

    // A fault after it: the abandoned checkpoint has a higher step, and the gang does not resume
    // from it.
    run.awaitPast(20);
    job.annotate("rekindle.dev/restart", "rebuild");
    scene.cluster().inject(job.nodeOf("worker-0"), Cluster.gpuOffTheBus());
    Recovery next = job.recoveries().awaitRecovered(2);
    assertThat(Recoveries.checkpoint(next).step()).isGreaterThan(60);
  }

  @Test
  @OnHalfTheNodes
  void shouldRestartInPlaceAGangThatWasRebuiltBefore(Scene scene) {
    TrainingJob job = scene.job("both").start();
    job.awaitStep(25);
    scene.cluster().inject(job.nodeOf("worker-0"), Cluster.gpuOffTheBus());
    Recovery rebuilt = job.recoveries().awaitRecovered();
    assertThat(Recoveries.plan(rebuilt).restart()).isEqualTo(RestartWay.REBUILD);
    job.awaitProgress(30);

    job.annotate("rekindle.dev/restart", "inPlace");
    InPlaceRun run = InPlaceRun.of(scene, job);
    scene.cluster().inject(job.nodeOf("worker-0"), Cluster.gpuOffTheBus());
    Recovery recovery = job.recoveries().awaitRecovered(2);
    run.awaitPast(10);

    assertThat(Recoveries.plan(recovery).restart()).isEqualTo(RestartWay.IN_PLACE);
    run.survived(job.podNames("master-0"));
    run.replaced(job.name() + "-worker-0");
    run.wentOnFromThePin(recovery);
    run.trainedOnceAndRight(1);
    assertThat(job.pods())
        .as("no pod is given the checkpoint of the rebuild any more")
        .allSatisfy(p -> assertThat(TrainingJob.env(p, "REKINDLE_RESUME_FROM")).contains(""));
  }

  @Test
  @OnHalfTheNodes
  void shouldReplaceTheMasterWhoseGpuFellOffTheBus(Scene scene) {
    TrainingJob job = scene.job("leader").workers(2).inPlace().start();
    job.awaitStep(25);
    InPlaceRun run = InPlaceRun.of(scene, job);

    scene.cluster().inject(job.nodeOf("master-0"), Cluster.gpuOffTheBus());
    Recovery recovery = job.recoveries().awaitRecovered();
    run.awaitPast(10);

    assertThat(Recoveries.plan(recovery).restart()).isEqualTo(RestartWay.IN_PLACE);
    run.replaced(job.name() + "-master-0");
    run.trainedOnceAndRight(2);
  }

  @Test
  @OnHalfTheNodes
  void shouldRestartElasticAgentsWithTheirShardedWorkers(Scene scene) {
    TrainingJob job =
        scene
            .job("torchrun")
            .inPlace()
            .set("SHARDED", "1")
            .editTemplates(RestartInPlaceIT::underTorchrun)
            .start();
    job.awaitStep(25);
    InPlaceRun run = InPlaceRun.of(scene, job);

    scene.cluster().inject(job.nodeOf("worker-0"), Cluster.gpuOffTheBus());
    Recovery recovery = job.recoveries().awaitRecovered();
    run.awaitPast(10);

    assertThat(Recoveries.plan(recovery).restart()).isEqualTo(RestartWay.IN_PLACE);
    run.survived(job.podNames("master-0"));
    run.replaced(job.name() + "-worker-0");
    run.trainedOnceAndRight(1);
  }

  /** The elastic agent as the container's first process, the script as its child. */
  private static void underTorchrun(ObjectNode template) {
    ArrayNode command = (ArrayNode) template.at("/spec/containers/0/command");
    command.removeAll();
    List.of(
            "python3",
            "-m",
            "torch.distributed.run",
            "--nproc-per-node=1",
            "--max-restarts=0",
            "/opt/example/train.py")
        .forEach(command::add);
  }

  @Test
  @OnHalfTheNodes
  void shouldLoseNothingWhenAnAgentIsKilledBetweenFreezeAndKill(Scene scene) {
    TrainingJob job = scene.job("agent").workers(2).inPlace().start();
    job.awaitStep(25);
    InPlaceRun run = InPlaceRun.of(scene, job);
    String node = job.nodeOf("worker-1");
    List<Long> agent = scene.agentOn(node);
    CompletableFuture<?> killed =
        scene
            .recorder()
            .once(
                RestartReport.class,
                r ->
                    r.getSpec().node().equals(node)
                        && r.getSpec().done() == RestartInstruction.FREEZE,
                () -> Host.kill(agent));

    scene.cluster().inject(job.nodeOf("worker-0"), Cluster.gpuOffTheBus());
    Recovery recovery = job.recoveries().awaitRecovered();
    run.awaitPast(10);

    assertThat(killed).isCompleted();
    assertThat(Recoveries.plan(recovery).restart()).isEqualTo(RestartWay.IN_PLACE);
    run.survived(job.podNames("master-0", "worker-1"));
    run.trainedOnceAndRight(2);
  }
}
