package dev.rekindle.simulator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RestartWay;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.model.RestartMode;
import dev.rekindle.simulator.process.BrokenQueueing;
import dev.rekindle.simulator.process.Reconcilers;
import dev.rekindle.simulator.setup.JobSetup;
import dev.rekindle.simulator.setup.Setup;
import dev.rekindle.simulator.world.QueueObject;
import dev.rekindle.simulator.world.WorkloadObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A job of three ranks that Kueue has admitted with all its quota, and one that waits for it. */
class SimulatedKueueTest {
  private static final JobSetup WAITING = Given.job().named("waiting").setup();

  private final List<SimulatedJob> runs = new ArrayList<>();

  @AfterEach
  void close() {
    runs.forEach(SimulatedJob::close);
  }

  private SimulatedJob run(
      RestartMode way, Random random, double crashes, Reconcilers.Factory made) {
    Setup setup =
        Given.cluster(8, Policy.DEFAULT, 2, Given.job().way(way).newestByItself().setup())
            .queued(3);
    SimulatedJob run = new SimulatedJob(setup, random, crashes, made);
    runs.add(run);
    return run;
  }

  private SimulatedJob run(RestartMode way, Reconcilers.Factory made) {
    return run(way, new Random(0), 0, made);
  }

  /** It trains, another job waits, and a GPU is lost. */
  private static void breakIt(SimulatedJob run) {
    run.until(() -> run.step() > 25);
    run.world().submit(WAITING);
    run.runFor(Duration.ofSeconds(5));
    assertThat(workload(run, "waiting").admitted()).isFalse();
    run.levers().gpuLost("node-1");
  }

  private static WorkloadObject workload(SimulatedJob run, String job) {
    return run.world().queueing().workloads().get("team/" + job);
  }

  private static QueueObject queue(SimulatedJob run) {
    return run.world().queueing().queues().get(QueueObject.NAME);
  }

  @Test
  void shouldRestartInPlaceWithoutTouchingTheWorkload() {
    SimulatedJob run = run(RestartMode.IN_PLACE, Reconcilers.REAL);
    run.until(() -> run.step() > 25);
    long version = workload(run, "demo").meta().version();

    breakIt(run);
    run.untilOver();

    assertThat(run.only().phase()).isEqualTo(RecoveryPhase.RECOVERED);
    assertThat(Objects.requireNonNull(run.only().plan()).restart()).isEqualTo(RestartWay.IN_PLACE);
    assertThat(workload(run, "demo").meta().version()).isEqualTo(version);
    assertThat(workload(run, "waiting").admitted()).isFalse();
  }

  @Test
  void shouldRebuildWithoutLosingItsQuotaToTheJobThatWaits() {
    SimulatedJob run = run(RestartMode.REBUILD, Reconcilers.REAL);
    breakIt(run);

    run.untilOver();

    assertThat(run.only().phase()).isEqualTo(RecoveryPhase.RECOVERED);
    assertThat(Objects.requireNonNull(run.only().plan()).restart()).isEqualTo(RestartWay.REBUILD);
    assertThat(workload(run, "waiting").admitted()).isFalse();
    assertThat(queue(run).held()).isFalse();
    assertThat(workload(run, "demo").stoppedBy()).isEmpty();
  }

  @Test
  void shouldWaitForQuotaWhereTheQueueIsNotHeld() {
    SimulatedJob run = run(RestartMode.REBUILD, BrokenQueueing.holdingNoQueue());
    breakIt(run);

    run.until(
        () ->
            run.recoveries().stream()
                .anyMatch(
                    r ->
                        r.status() != null
                            && r.status().conditions().stream()
                                .anyMatch(c -> "NotAdmitted".equals(c.getReason()))));
    assertThat(workload(run, "waiting").admitted()).isTrue();
    int attempt = run.newest().attempt();
    run.runFor(Duration.ofHours(2));
    assertThat(run.newest().attempt()).as("no attempt is burned").isEqualTo(attempt);

    run.world().jobs().delete("team/waiting", "", null);
    run.untilOver();
    assertThat(run.only().phase()).isEqualTo(RecoveryPhase.RECOVERED);
  }

  /** The process is killed around its calls, again and again. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8})
  void shouldEndTheSameWhicheverReplicaLeads(int seed) {
    SimulatedJob run = run(RestartMode.REBUILD, new Random(seed), 0.03, Reconcilers.REAL);
    breakIt(run);

    run.untilOver();
    run.until(() -> !queue(run).held() && workload(run, "demo").stoppedBy().isEmpty());

    assertThat(run.newest().phase()).isEqualTo(RecoveryPhase.RECOVERED);
    assertThat(workload(run, "demo").active()).isTrue();
  }

  @Test
  void shouldCatchAControllerThatSuspendsAJobOfKueue() {
    SimulatedJob run = run(RestartMode.REBUILD, BrokenQueueing.suspendingByItself());
    breakIt(run);

    assertThatThrownBy(run::untilOver).hasMessageContaining("is in queue q");
  }

  @Test
  void shouldCatchAControllerThatKeepsAQueueHeld() {
    SimulatedJob run = run(RestartMode.REBUILD, BrokenQueueing.keepingQueues());
    breakIt(run);

    assertThatThrownBy(() -> run.until(() -> false)).hasMessageContaining("is held for");
  }
}
