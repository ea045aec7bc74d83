package dev.rekindle.testbed;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.CheckpointVerdict;
import dev.rekindle.api.Recovery;
import dev.rekindle.api.RecoveryEvent;
import dev.rekindle.api.RecoveryPhase;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The controller is killed in the middle of a phase: the next one finishes the same recovery. */
@Order(6)
@OnTestbed
class ControllerCrashIT {
  /** Less than the lease of the one that was killed still lasts, or a JVM takes to start. */
  private static final Duration NO_LEADER = Duration.ofMillis(800);

  /** On a machine that stands still for a moment a kill may come too late. */
  private static final int TRIES = 4;

  @ParameterizedTest(name = "{0}")
  @EnumSource(
      value = RecoveryPhase.class,
      names = {"FENCING", "DRAINING", "PLANNING", "RESUMING", "VERIFYING"})
  void shouldFinishTheSameRecoveryWhenTheControllerIsKilledIn(RecoveryPhase phase, Scene scene) {
    List<Optional<RecoveryPhase>> leftBehind = new ArrayList<>();
    while (leftBehind.size() < TRIES && !leftBehind.contains(Optional.of(phase))) {
      leftBehind.add(crash(scene, phase));
    }
    assertThat(leftBehind)
        .as("phases in which a dead controller left the recovery")
        .contains(Optional.of(phase));
  }

  /** One recovery with a kill; gives the phase in which the kill left it. */
  private static Optional<RecoveryPhase> crash(Scene scene, RecoveryPhase phase) {
    ControllerProcess controller = scene.controller();
    controller.renew();
    // Who trains matters where checkpoints are judged; elsewhere the job may start at once.
    boolean judged = phase == RecoveryPhase.PLANNING;
    TrainingJob job = judged ? scene.job("crash").start() : scene.job("crash").light().start();
    job.awaitStep(15);
    String faulty = job.nodeOf("worker-0");
    Set<String> old = job.placement().keySet();

    CompletableFuture<Killed> killed = killWhen(scene, job, phase, controller.leader());
    Optional<SlowWrites> slow = slowed(scene, job, phase, faulty);
    scene.cluster().inject(faulty, Cluster.gpuOffTheBus());
    Await.until("the recovery in " + phase, Duration.ofMinutes(3), killed::isDone);
    slow.ifPresent(SlowWrites::close);
    Recovery recovery = job.recoveries().awaitRecovered();
    long reached = job.log().reached(s -> old.contains(s.uid()));
    job.awaitNewGenerationPast(reached, old);

    assertThat(killed).as("the controller was killed").isCompleted();
    Await.until(
        "the killed controller started again",
        Duration.ofMinutes(2),
        () -> controller.restarts() > 0);
    assertThat(recovery.getMetadata().getUid())
        .isEqualTo(killed.join().recovery().getMetadata().getUid());
    finished(scene, job, recovery);
    if (judged) {
      assertThat(Recoveries.checkpoint(recovery).verdict()).isEqualTo(CheckpointVerdict.VALID);
    }
    assertThat(job.placement().values()).doesNotContain(faulty);
    Await.until(
        "each Event that the recovery names is there",
        Duration.ofMinutes(2),
        () -> missingEvents(job, recovery).isEmpty(),
        () -> "missing: " + missingEvents(job, recovery));
    controller.deleteWorn();
    job.delete();
    scene.cluster().forgetFaults();
    scene.cluster().awaitAllUsable();
    return phaseLeftBehind(scene, killed.join());
  }

  /** What lasts no longer than one or two calls would be over before the controller is killed. */
  private static Optional<SlowWrites> slowed(
      Scene scene, TrainingJob job, RecoveryPhase phase, String faulty) {
    return switch (phase) {
      case FENCING ->
          Optional.of(SlowWrites.of(scene, "", "nodes", () -> scene.cluster().touch(faulty)));
      case RESUMING -> Optional.of(SlowWrites.of(scene, "kubeflow.org", "pytorchjobs", job::touch));
      default -> Optional.empty();
    };
  }

  /** Of transitions that the killed controller had stored, its successor writes them. */
  private static List<RecoveryEvent> missingEvents(TrainingJob job, Recovery recovery) {
    return Recoveries.status(recovery).recentEvents().stream()
        .filter(e -> job.events(e.reason()).stream().noneMatch(w -> w.getNote().endsWith(e.note())))
        .toList();
  }

  private static CompletableFuture<Killed> killWhen(
      Scene scene, TrainingJob job, RecoveryPhase phase, Pod leader) {
    List<Long> process = ControllerProcess.processes(leader);
    assertThat(process).isNotEmpty();
    CompletableFuture<Killed> killed = new CompletableFuture<>();
    scene
        .recorder()
        .onVersion(
            seen -> {
              if (seen.object() instanceof Recovery recovery
                  && recovery.getSpec().job().equals(job.name())
                  && Recoveries.phase(recovery).equals(Optional.of(phase))
                  && killed.complete(new Killed(recovery, Instant.now()))) {
                Host.kill(process);
              }
            });
    return killed;
  }

  private static void finished(Scene scene, TrainingJob job, Recovery recovery) {
    assertThat(Recoveries.phases(recovery))
        .as("every phase once, in order")
        .containsExactlyElementsOf(Recoveries.STRAIGHT_ON);
    assertThat(Recoveries.status(recovery).attempt()).isEqualTo(1);
    List<Generations.Presence> generations = Generations.of(scene.recorder().pods(job));
    assertThat(generations).as("two generations and nothing between").hasSize(2);
    assertThat(generations.getLast().uids()).as("pods of the attempt").hasSize(2);
  }

  /** Where the recovery stood when its controller was dead and the next one not yet there. */
  private static Optional<RecoveryPhase> phaseLeftBehind(Scene scene, Killed killed) {
    return scene.recorder().of(Recovery.class).stream()
        .filter(s -> s.uid().equals(killed.recovery().getMetadata().getUid()))
        .filter(s -> s.at().isBefore(killed.at().plus(NO_LEADER)))
        .reduce((_, newest) -> newest)
        .flatMap(s -> Recoveries.phase(s.object()));
  }

  private record Killed(Recovery recovery, Instant at) {}
}
