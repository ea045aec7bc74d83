package dev.rekindle.testbed;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.Recovery;
import dev.rekindle.api.RecoveryPhase;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A leader that is paused for longer than its lease, and one whose clock is set. */
@Order(13)
@OnTestbed
class LeaderIT {
  /** Of the testbed's values. */
  private static final Duration LEASE = Duration.ofSeconds(10);

  private static @Nullable FakeClocks clocks;

  @AfterAll
  static void trueTimeAgain() {
    if (clocks != null) {
      clocks.close();
      clocks = null;
    }
  }

  /** One of them in every build. */
  private static Set<RecoveryPhase> phases() {
    return Boolean.getBoolean(Testbed.ALL)
        ? EnumSet.of(RecoveryPhase.DRAINING, RecoveryPhase.PLANNING, RecoveryPhase.RESUMING)
        : EnumSet.of(RecoveryPhase.PLANNING);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("phases")
  void shouldFinishTheSameRecoveryWhenTheLeaderStandsStillIn(RecoveryPhase phase, Scene scene) {
    ControllerProcess controllers = scene.controller();
    Pod leader = controllers.leader();
    List<Long> processes = ControllerProcess.processes(leader);
    TrainingJob job = scene.job("still").light().start();
    job.awaitStep(15);
    Set<String> old = job.placement().keySet();
    String faulty = job.nodeOf("worker-0");

    CompletableFuture<Boolean> stopped = new CompletableFuture<>();
    // One that has lost the lease may have been started again since.
    scene.onCleanUp(
        () ->
            Host.signal(
                "CONT", processes.stream().filter(p -> ProcessHandle.of(p).isPresent()).toList()));
    scene
        .recorder()
        .onVersion(
            seen -> {
              if (seen.object() instanceof Recovery recovery
                  && recovery.getSpec().job().equals(job.name())
                  && Recoveries.phase(recovery).equals(Optional.of(phase))
                  && stopped.complete(true)) {
                Host.signal("STOP", processes);
              }
            });
    scene.cluster().inject(faulty, Cluster.gpuOffTheBus());
    Await.until("the leader stands still", Duration.ofMinutes(2), stopped::isDone);
    String successor =
        Await.value(
            "another leads",
            LEASE.multipliedBy(12),
            () ->
                controllers
                    .findLeader()
                    .map(pod -> pod.getMetadata().getName())
                    .filter(name -> !name.equals(leader.getMetadata().getName())));
    int changes = controllers.leaderChanges();
    // Its successor has begun; what it was about to do when it was stopped, it does now.
    Await.pause(LEASE);
    Host.signal("CONT", processes);
    job.recoveries().awaitRecovered();

    Await.never(
        "a second recovery, or the job stopped again",
        LEASE,
        () -> job.recoveries().all().size() > 1 || job.suspended());
    // On a busy machine the successor may lose its lease as well, and that is counted in it.
    String leads = controllers.leader().getMetadata().getName();
    if (controllers.leaderChanges() == changes) {
      assertThat(leads).isEqualTo(successor);
    }
    trainsElsewhere(scene, job, old, faulty);
  }

  /** Back is also what the last test does. */
  private static List<Long> steps() {
    return Boolean.getBoolean(Testbed.ALL) ? List.of(3600L, -3600L) : List.of(3600L);
  }

  @ParameterizedTest(name = "{0} s")
  @MethodSource("steps")
  void shouldRecoverWhenTheLeadersClockIsSetInTheMiddle(long seconds, Scene scene) {
    FakeClocks clocks = clocks(scene);
    Pod leader = scene.controller().leader();
    TrainingJob job = scene.job("clock").light().start();
    job.awaitStep(15);
    Set<String> old = job.placement().keySet();
    String faulty = job.nodeOf("worker-0");

    CompletableFuture<Boolean> set = new CompletableFuture<>();
    scene.onCleanUp(() -> scene.controller().replace(leader));
    scene
        .recorder()
        .onVersion(
            seen -> {
              if (seen.object() instanceof Recovery recovery
                  && recovery.getSpec().job().equals(job.name())
                  && Recoveries.phase(recovery).equals(Optional.of(RecoveryPhase.DRAINING))
                  && set.complete(true)) {
                clocks.set(leader, seconds);
              }
            });
    scene.cluster().inject(faulty, Cluster.gpuOffTheBus());
    job.recoveries().awaitRecovered();

    assertThat(set).isCompleted();
    trainsElsewhere(scene, job, old, faulty);
    assertThat(Recoveries.outcome(job.recoveries().all().getFirst()).downtimeSeconds())
        .as("downtime by clocks that agree, or none")
        .satisfiesAnyOf(
            downtime -> assertThat(downtime).isNull(),
            downtime -> assertThat(downtime).isBetween(0.0, 600.0));
  }

  /** An alarm a second of such a clock later is an alarm an hour later. */
  @Test
  void shouldFenceAtOnceAfterTheLeadersClockWasSetBack(Scene scene) {
    FakeClocks clocks = clocks(scene);
    Pod leader = scene.controller().leader();
    scene.onCleanUp(() -> scene.controller().replace(leader));
    TrainingJob job = scene.job("back").light().start();
    job.awaitStep(15);
    clocks.set(leader, -3600);
    String faulty = job.nodeOf("worker-0");
    Set<String> old = job.placement().keySet();
    scene.cluster().inject(faulty, Cluster.gpuOffTheBus());
    Await.until(
        "fenced", Duration.ofMinutes(2), () -> Cluster.fencedByUs(scene.cluster().node(faulty)));
    job.recoveries().awaitRecovered();
    trainsElsewhere(scene, job, old, faulty);
  }

  /**
   * The clocks of all controllers, right so far. A test that has set one has its controller
   * replaced: setting it right is one more step, which can cost a leader its lease in the middle of
   * the next test.
   */
  private static FakeClocks clocks(Scene scene) {
    if (clocks == null) {
      clocks = FakeClocks.install(scene.controller());
    }
    return clocks;
  }

  private static void trainsElsewhere(
      Scene scene, TrainingJob job, Set<String> old, String faulty) {
    long reached = job.log().reached(s -> old.contains(s.uid()));
    job.awaitNewGenerationPast(reached, old);
    assertThat(job.placement().values()).doesNotContain(faulty);
    assertThat(job.recoveries().all()).hasSize(1);
    assertThat(Generations.of(scene.recorder().pods(job)))
        .as("two generations and nothing between")
        .hasSize(2);
  }
}
