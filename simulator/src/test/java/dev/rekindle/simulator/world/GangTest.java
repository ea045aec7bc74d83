package dev.rekindle.simulator.world;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.controller.model.JobView.Finish;
import dev.rekindle.controller.model.PodView.Phase;
import dev.rekindle.simulator.Given;
import dev.rekindle.simulator.Simulation;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A gang that trains, from its first step to its last. */
class GangTest extends GangFixture {
  private static final Duration HOUR = Duration.ofHours(1);

  @ParameterizedTest
  @CsvSource({
    "0, 1, 0",
    "999, 1, 0",
    "1000, 2, 0",
    "8999, 9, 0",
    "9000, 10, 0",
    "10999, 10, 0",
    "11000, 10, 10",
    "11999, 10, 10",
    "12000, 11, 10",
    "21000, 20, 10",
    "22999, 20, 10",
    "23000, 20, 20",
    "24000, 21, 20",
    "1199000, 1000, 1000",
    "1205500, 1006, 1000",
  })
  void shouldStepAndWriteAsTimeContinues(long millis, long step, long checkpoint) {
    Simulation simulation = training(job());
    after(simulation, millis);
    TrainingView view = simulation.training(Given.KEY);
    assertThat(view.moving()).isTrue();
    assertThat(view.step()).isEqualTo(step);
    assertThat(view.newestCheckpoint()).isEqualTo(checkpoint);
    assertThat(view.nodes()).containsExactlyInAnyOrder("node-0", "node-1", "node-2");
  }

  @Test
  void shouldGiveTheSameResultHoweverOftenItIsUpdated() {
    Simulation seldom = training(job());
    after(seldom, 100_000);
    Simulation often = training(job());
    for (int millis = 0; millis <= 100_000; millis += 170) {
      after(often, millis);
      assertThat(often.training(Given.KEY).step()).isPositive();
    }
    after(often, 100_000);
    assertThat(often.training(Given.KEY)).isEqualTo(seldom.training(Given.KEY));
  }

  /** Steps one after another, with two seconds of writing after every tenth. */
  @ParameterizedTest
  @CsvSource({"5, 4000, 0", "9, 8000, 0", "10, 11000, 10", "20, 23000, 20", "25, 28000, 20"})
  void shouldFinishAtItsLastStep(long steps, long millis, long checkpoint) {
    Simulation simulation = training(job().steps(steps));
    after(simulation, millis - 1);
    assertThat(simulation.training(Given.KEY).moving()).isTrue();
    after(simulation, millis);
    TrainingView view = simulation.training(Given.KEY);
    assertThat(view.moving()).isFalse();
    assertThat(view.step()).isEqualTo(steps);
    assertThat(view.newestCheckpoint()).isEqualTo(checkpoint);
    after(simulation, millis + 10_000);
    assertThat(simulation.pods(Given.KEY)).allMatch(p -> p.phase() == Phase.SUCCEEDED);
    assertThat(simulation.job(Given.KEY).finish()).isEqualTo(Finish.SUCCEEDED);
    after(simulation, millis + 600_000);
    assertThat(simulation.training(Given.KEY).step()).isEqualTo(steps);
  }

  @Test
  void shouldFinishSoMuchLaterAsItStood() {
    Simulation simulation = training(job().steps(25));
    after(simulation, 5_000);
    simulation.levers().nicDown("node-1");
    after(simulation, 45_000);
    simulation.levers().repaired("node-1");
    after(simulation, 28_000 + 40_000 - 1);
    assertThat(simulation.training(Given.KEY).moving()).isTrue();
    after(simulation, 28_000 + 40_000);
    assertThat(simulation.training(Given.KEY).step()).isEqualTo(25);
    assertThat(simulation.training(Given.KEY).moving()).isFalse();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2})
  void shouldNotBeginBeforeEveryRankIsThere(int late) {
    Simulation simulation = simulation(job());
    simulation.levers().rankDiesAtStart(Given.KEY, late, 1);
    assertThat(simulation.runUntil(() -> exits(simulation) == 1, Duration.ofMinutes(1))).isTrue();
    Instant restarted = simulation.now();
    assertThat(simulation.runUntil(() -> !training.isEmpty(), Duration.ofMinutes(5))).isTrue();
    assertThat(simulation.now()).isAfter(restarted.plusSeconds(3));
    assertThat(training).containsExactly("trains from step 1");
  }

  /** As the operator does it: what is there stays as it was made. */
  @Test
  void shouldTakeUpAnEditedTemplateWithNewPodsOnly() {
    Simulation simulation = training(job());
    World world = simulation.world();
    JobObject job = world.jobs().get(Given.KEY.toString());
    world.edit(job, job.setup().running(Duration.ofMillis(500), 20));
    after(simulation, 5_000);
    assertThat(simulation.training(Given.KEY).step()).isEqualTo(6);
    world.podsOf(job).forEach(p -> world.pods().delete(p.meta().key(), p.meta().uid(), null));
    training.clear();
    assertThat(
            simulation.runUntil(
                () -> training.stream().anyMatch(t -> t.startsWith("trains from")), HOUR))
        .isTrue();
    first = simulation.now();
    long from = simulation.training(Given.KEY).step();
    after(simulation, 5_000);
    assertThat(simulation.training(Given.KEY).step()).isEqualTo(from + 10);
  }

  private static long exits(Simulation simulation) {
    return simulation.pods(Given.KEY).stream().filter(p -> p.lastExit() != null).count();
  }
}
