package dev.rekindle.testbed;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.Recovery;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryPolicySpec;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** A job with an open recovery that waits in a phase until it is released. */
final class OpenRecovery {
  private static final Duration LIMIT = Duration.ofMinutes(3);
  private static final List<String> QUIET = List.of("node-0", "node-1", "node-2");
  private static final List<String> REPLACED = List.of("node-3", "node-4", "node-5");

  /** Two for a gang of two: without one of them there is no room. */
  private static final List<String> FULL = List.of("node-6", "node-7");

  /** Nothing is left to do then. */
  private static final Runnable RELEASED_BY_UPGRADE = () -> {};

  private final TrainingJob job;
  private final String uid;
  private final RecoveryPhase phase;
  private final Runnable release;
  private final RecoveryPhase end;

  private OpenRecovery(TrainingJob job, RecoveryPhase phase, Runnable release) {
    this(job, phase, release, RecoveryPhase.RECOVERED);
  }

  private OpenRecovery(TrainingJob job, RecoveryPhase phase, Runnable release, RecoveryPhase end) {
    this.job = job;
    this.phase = phase;
    this.release = release;
    this.end = end;
    uid = await(phase).getMetadata().getUid();
  }

  private Recovery await(RecoveryPhase wanted) {
    return Await.value(
        "a recovery of %s in %s".formatted(job.name(), wanted),
        LIMIT,
        () ->
            job.recoveries().all().stream()
                .filter(r -> Recoveries.phase(r).filter(wanted::equals).isPresent())
                .findFirst(),
        job.recoveries()::describe);
  }

  /**
   * One in each phase in which a recovery can be made to wait. The others last no longer than a
   * call or an inspection.
   */
  static List<OpenRecovery> inEachPhase(Scene scene) {
    String policy = scene.policy("replaced", patience());
    TrainingJob replaced =
        begun(scene.job("replaced").inPlace().annotation("rekindle.dev/policy", policy), REPLACED);
    // The training operator is stopped when the others wait, and an agent last: its kubelet
    // restarts it after a minute.
    return List.of(
        approved(scene),
        withoutRoom(scene),
        draining(scene),
        withoutPods(scene),
        inPlace(scene, replaced));
  }

  /** It waits for a person's approval. */
  static OpenRecovery approved(Scene scene) {
    TrainingJob job =
        begun(failing(scene, "approved").annotation("rekindle.dev/recover", "approve"), QUIET);
    Host.kill(job.processes("worker-0"));
    return new OpenRecovery(
        job,
        RecoveryPhase.HELD,
        () -> {
          String name = job.recoveries().all().getLast().getMetadata().getName();
          CommandLine.rekindle("approve", "-n", Testbed.NAMESPACE, name);
        });
  }

  /**
   * It waits for a node, as one of the two that it may use is fenced, while the job trains. Once
   * the fault is forgotten there is nothing left to do.
   */
  private static OpenRecovery withoutRoom(Scene scene) {
    TrainingJob job = begun(failing(scene, "full"), FULL);
    scene.cluster().inject(job.nodeOf("worker-0"), Cluster.gpuOffTheBus());
    return new OpenRecovery(
        job, RecoveryPhase.HELD, () -> scene.cluster().forgetFaults(), RecoveryPhase.CANCELLED);
  }

  /** It waits for a pod that a finalizer keeps, with its job suspended. */
  static OpenRecovery draining(Scene scene) {
    TrainingJob job = begun(patient(scene, "draining"), QUIET);
    hold(scene, job, "[\"rekindle.test/hold\"]");
    Runnable letGo = () -> hold(scene, job, "null");
    scene.onCleanUp(
        () -> {
          if (!job.pods().isEmpty()) {
            letGo.run();
          }
        });
    Host.kill(job.processes("worker-0"));
    return new OpenRecovery(job, RecoveryPhase.DRAINING, letGo);
  }

  private static void hold(Scene scene, TrainingJob job, String finalizers) {
    scene
        .client()
        .pods()
        .inNamespace(Testbed.NAMESPACE)
        .withName(job.name() + "-master-0")
        .patch(
            PatchContext.of(PatchType.JSON_MERGE),
            "{\"metadata\": {\"finalizers\": %s}}".formatted(finalizers));
  }

  /** It waits for pods that the training operator is to create. */
  private static OpenRecovery withoutPods(Scene scene) {
    TrainingJob job = begun(patient(scene, "withoutpods"), QUIET);
    List<Long> operator = List.of(Testbed.process("training-operator"));
    Runnable goOn = () -> Host.signal("CONT", operator);
    scene.onCleanUp(goOn);
    CompletableFuture<?> stopped =
        scene
            .recorder()
            .once(
                Recovery.class,
                r ->
                    r.getSpec().job().equals(job.name())
                        && Recoveries.phase(r).filter(RecoveryPhase.RESUMING::equals).isPresent(),
                () -> Host.signal("STOP", operator));
    Host.kill(job.processes("worker-0"));
    OpenRecovery open = new OpenRecovery(job, RecoveryPhase.VERIFYING, goOn);
    assertThat(stopped).as("the training operator is stopped").isCompleted();
    return open;
  }

  /** It waits for an agent that is stopped, and that the upgrade replaces. */
  private static OpenRecovery inPlace(Scene scene, TrainingJob job) {
    Host.signal("STOP", scene.agentOn(job.nodeOf("master-0")));
    scene.cluster().inject(job.nodeOf("worker-0"), Cluster.gpuOffTheBus());
    return new OpenRecovery(job, RecoveryPhase.DRAINING, RELEASED_BY_UPGRADE);
  }

  private static JobRequest patient(Scene scene, String name) {
    return failing(scene, name).annotation("rekindle.dev/policy", scene.policy(name, patience()));
  }

  /** No kubelet restarts its ranks. */
  private static JobRequest failing(Scene scene, String name) {
    return scene.job(name).restartPolicy("Never");
  }

  private static RecoveryPolicySpec patience() {
    return Serialization.unmarshal(
        """
        detection: {stallSeconds: 600, silentNodeSeconds: 60}
        restart: {freezeSeconds: 600}
        timeouts: {gracePeriodCapSeconds: 1, drainSeconds: 900, startSeconds: 900, readyStableSeconds: 5}
        """,
        RecoveryPolicySpec.class);
  }

  private static TrainingJob begun(JobRequest request, List<String> nodes) {
    TrainingJob job = request.onNodes(nodes).light().start();
    job.awaitStep(12);
    return job;
  }

  /** Whether it is the only recovery of its job, and in the phase in which it waited. */
  void stillWaits() {
    List<Recovery> all = job.recoveries().all();
    assertThat(all).as(job.recoveries()::describe).hasSize(1);
    assertThat(all.getFirst().getMetadata().getUid()).isEqualTo(uid);
    if (!RELEASED_BY_UPGRADE.equals(release)) {
      assertThat(Recoveries.phase(all.getFirst())).as(job.name()).contains(phase);
    }
  }

  /** Lets it go on. */
  void release() {
    release.run();
  }

  /** Waits until it has ended as it should, as the only recovery of its job, which trains. */
  void awaitEnd() {
    Recovery ended = await(end);
    assertThat(ended.getMetadata().getUid()).isEqualTo(uid);
    assertThat(job.recoveries().all()).as(job.recoveries()::describe).hasSize(1);
    job.awaitProgress(5);
  }
}
