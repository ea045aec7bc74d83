package dev.rekindle.simulator.world;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.PodView.Phase;
import dev.rekindle.simulator.Given;
import dev.rekindle.simulator.Simulation;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A gang that is interrupted. */
class GangInterruptionTest extends GangFixture {
  /** Written in place, the file of a write that is cut off stays and is torn. */
  @ParameterizedTest
  @CsvSource({
    // ends at, atomic, newest complete, newest file
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
  void shouldStandWhileARankCannotTakePartAndContinueWhereItStood() {
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

  private static Gang gang(Simulation simulation) {
    return simulation.world().gang(simulation.job(Given.KEY).uid());
  }
}
