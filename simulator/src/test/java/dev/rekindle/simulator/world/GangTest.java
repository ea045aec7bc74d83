package dev.rekindle.simulator.world;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.controller.model.JobView.Finish;
import dev.rekindle.controller.model.JobView.RestartPolicy;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.PodView.Phase;
import dev.rekindle.simulator.Given;
import dev.rekindle.simulator.Simulation;
import dev.rekindle.simulator.world.SimEvent.Kind;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A step takes one second, every tenth is followed by two seconds in which a checkpoint is written:
 * a cycle of twelve seconds. All times are counted from the end of the first step.
 */
class GangTest {
  private static final Duration HOUR = Duration.ofHours(1);

  private final List<Simulation> open = new ArrayList<>();
  private final List<String> training = new ArrayList<>();
  private Instant first = Instant.MAX;

  @AfterEach
  void close() {
    open.forEach(Simulation::close);
  }

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
  void shouldStepAndWriteAsTimeGoesOn(long millis, long step, long checkpoint) {
    Simulation simulation = training(job());

    after(simulation, millis);

    TrainingView view = simulation.training(Given.KEY);
    assertThat(view.moving()).isTrue();
    assertThat(view.step()).isEqualTo(step);
    assertThat(view.newestCheckpoint()).isEqualTo(checkpoint);
    assertThat(view.nodes()).containsExactlyInAnyOrder("node-0", "node-1", "node-2");
  }

  @Test
  void shouldComeToTheSameHoweverOftenItIsLookedAt() {
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

  /** Written in place, the file of a write that is cut off stays and is torn. */
  @ParameterizedTest
  @CsvSource({
    // ends at, atomic, newest whole, newest file
    "8500, false, 0, 0",
    "9000, false, 0, 10",
    "10500, false, 0, 10",
    "10500, true, 0, 0",
    "11000, false, 10, 10",
    "22000, false, 10, 20",
    "22000, true, 10, 10",
    "24000, false, 20, 20",
  })
  void shouldTearAWriteThatIsCutOffUnlessItIsAtomic(
      long millis, boolean atomic, long whole, long file) {
    Simulation simulation = training(atomic ? job() : job().inPlace());
    after(simulation, millis);

    simulation.levers().rankDies(Given.KEY, 1, 137);
    after(simulation, millis + 500);

    Storage storage = gang(simulation).training().storage();
    assertThat(storage.newestValid(simulation.now())).isEqualTo(whole);
    assertThat(storage.newest(simulation.now())).isEqualTo(file);
    assertThat(storage.valid(file, simulation.now())).isEqualTo(whole == file);
  }

  @Test
  void shouldStandWhileARankCannotTakePartAndGoOnWhereItStood() {
    Simulation simulation = training(job());
    after(simulation, 5_500);

    simulation.levers().nicDown("node-1");
    after(simulation, 65_250);
    TrainingView stood = simulation.training(Given.KEY);
    simulation.levers().repaired("node-1");

    assertThat(stood.moving()).isFalse();
    assertThat(stood.step()).isEqualTo(6);
    assertThat(simulation.training(Given.KEY).moving()).isTrue();
    after(simulation, 65_250 + 499);
    assertThat(simulation.training(Given.KEY).step()).isEqualTo(6);
    after(simulation, 65_250 + 500);
    assertThat(simulation.training(Given.KEY).step()).isEqualTo(7);
    after(simulation, 65_250 + 5_499);
    assertThat(simulation.training(Given.KEY).newestCheckpoint()).isZero();
    after(simulation, 65_250 + 5_500);
    assertThat(simulation.training(Given.KEY).newestCheckpoint()).isEqualTo(10);
    assertThat(gang(simulation).training().trainedMicros()).isEqualTo(11_000_000);
  }

  @Test
  void shouldFinishAWriteThatStoodForAWhile() {
    Simulation simulation = training(job().inPlace());
    after(simulation, 10_000);

    simulation.levers().nodeHangs("node-2");
    after(simulation, 13_000);
    assertThat(gang(simulation).training().storage().newest(simulation.now())).isEqualTo(10);
    assertThat(simulation.training(Given.KEY).newestCheckpoint()).isZero();
    simulation.levers().nodeReturns("node-2");
    after(simulation, 14_000);

    assertThat(simulation.training(Given.KEY).newestCheckpoint()).isEqualTo(10);
  }

  @Test
  void shouldNotMoveWhileOneRankHangs() {
    Simulation simulation = training(job());
    after(simulation, 4_000);

    simulation.levers().rankHangs(Given.KEY, 2);
    after(simulation, 60_000);

    assertThat(simulation.training(Given.KEY).moving()).isFalse();
    assertThat(simulation.training(Given.KEY).step()).isEqualTo(5);
    assertThat(simulation.pods(Given.KEY)).allMatch(p -> p.phase() == Phase.RUNNING && p.ready());
  }

  @Test
  void shouldGiveUpALostPeerAndBeginAgainAtTheNewestCheckpoint() {
    Simulation simulation = training(job().newestByItself());
    after(simulation, 30_000);

    simulation.levers().rankDies(Given.KEY, 1, 137);
    assertThat(simulation.training(Given.KEY).moving()).isFalse();
    after(simulation, 30_000 + 600_000);
    assertThat(training).containsExactly("trains from step 1", "stands at step 27");
    after(simulation, 30_000 + 660_000);

    assertThat(training)
        .containsExactly("trains from step 1", "stands at step 27", "trains from step 21");
    assertThat(simulation.pods(Given.KEY)).extracting(PodView::restarts).containsOnly(1);
  }

  @Test
  void shouldNotBeginWithATornCheckpoint() {
    Simulation simulation = training(job().inPlace().newestByItself());
    after(simulation, 22_000);

    simulation.levers().rankDies(Given.KEY, 1, 137);
    after(simulation, 22_000 + 660_000);

    assertThat(training)
        .startsWith("trains from step 1", "stands at step 20")
        .hasSizeGreaterThan(2)
        .last()
        .isEqualTo("cannot load the checkpoint of step 20");
    assertThat(simulation.training(Given.KEY).moving()).isFalse();
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

  private static Given.Job job() {
    return Given.job()
        .restart(RestartPolicy.ON_FAILURE)
        .training(Duration.ofSeconds(1), 10, Duration.ofSeconds(2));
  }

  private Simulation simulation(Given.Job job) {
    Simulation simulation = Simulation.of(Given.cluster(4, job.setup()));
    open.add(simulation);
    simulation.listen(this::heard);
    return simulation;
  }

  private void heard(SimEvent happening) {
    if (happening.kind() == Kind.TRAINING) {
      training.add(happening.text());
    }
  }

  /** One that has just made its first step. */
  private Simulation training(Given.Job job) {
    training.clear();
    Simulation simulation = simulation(job);
    assertThat(simulation.runUntil(() -> !training.isEmpty(), Duration.ofMinutes(5))).isTrue();
    first = simulation.now();
    return simulation;
  }

  private void after(Simulation simulation, long millis) {
    simulation.runFor(Duration.between(simulation.now(), first.plusMillis(millis)));
  }

  private static Gang gang(Simulation simulation) {
    return simulation.world().gang(simulation.job(Given.KEY).uid());
  }
}
