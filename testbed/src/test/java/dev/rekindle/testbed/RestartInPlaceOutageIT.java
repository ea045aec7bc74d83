package dev.rekindle.testbed;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.Recovery;
import dev.rekindle.api.RestartInstruction;
import dev.rekindle.api.RestartOrder;
import dev.rekindle.api.RestartWay;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Gangs that are restarted in place while what all jobs need is gone: the controller, the API
 * server.
 */
@Order(6)
@OnTestbed
class RestartInPlaceOutageIT {
  /** More than the 8 s after which the testbed's policy gives up on a node that stays silent. */
  private static final Duration AFTERWARDS = Duration.ofSeconds(12);

  /** Only of a stalled gang that is rebuilt are agents ordered to inspect. */
  @ParameterizedTest(name = "{0}")
  @EnumSource(value = RestartInstruction.class, mode = EnumSource.Mode.EXCLUDE, names = "LOOK")
  void shouldContinueWhenTheControllerIsKilledAfter(RestartInstruction instruction, Scene scene) {
    ControllerProcess controller = scene.controller();
    controller.renew();
    TrainingJob job = scene.job("ctl").light().inPlace().start();
    job.awaitStep(25);
    InPlaceRun run = InPlaceRun.of(scene, job);
    List<Long> leader = ControllerProcess.processes(controller.leader());
    CompletableFuture<?> killed =
        scene
            .recorder()
            .once(
                RestartOrder.class,
                o -> o.getSpec().instruction() == instruction,
                () -> Host.kill(leader));

    scene.cluster().inject(job.nodeOf("worker-0"), Cluster.gpuOffTheBus());
    Recovery recovery = job.recoveries().awaitRecovered();
    run.awaitPast(10);

    assertThat(killed).isCompleted();
    assertThat(Recoveries.plan(recovery).restart()).isEqualTo(RestartWay.IN_PLACE);
    run.survived(job.podNames("master-0"));
    run.replaced(job.name() + "-worker-0");
    run.trainedOnce();
    controller.deleteWorn();
  }

  @Test
  void shouldDoNothingWhileTheApiServerIsAway(Scene scene) {
    TrainingJob job = scene.job("outage").light().inPlace().start();
    job.awaitStep(25);
    Set<String> old = job.placement().keySet();
    long before = job.log().reached();
    Instant away = Instant.now();

    // Leases of nodes (20 s), leaders and agents all run out in it.
    scene.cluster().withoutApiServer(Duration.ofSeconds(35));
    Instant back = Instant.now();

    Await.until(
        "the API server answers",
        Duration.ofMinutes(3),
        () -> {
          try {
            return !job.pods().isEmpty();
          } catch (RuntimeException notYet) {
            return false;
          }
        });
    // Five steps a second, or less where the machine is busy.
    assertThat(job.log().steps(s -> s.time().isAfter(away) && s.time().isBefore(back)))
        .as("it trained on all the while")
        .anyMatch(s -> s.step() > before + 40)
        .anyMatch(s -> s.time().isAfter(back.minusSeconds(15)));
    Await.never("a recovery after an outage", AFTERWARDS, () -> !job.recoveries().all().isEmpty());
    job.awaitProgress(20);
    assertThat(job.placement().keySet()).isEqualTo(old);
    assertThat(job.log().steps()).allSatisfy(s -> assertThat(s.line().run()).isZero());
  }
}
