package dev.rekindle.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.controller.model.HistoryLimits;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.simulator.world.JobObject;
import dev.rekindle.simulator.world.RecoveryObject;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** What is left of a job's recoveries once the job is gone. */
class KeptHistoryTest {
  private static final Duration PATIENCE = Duration.ofMinutes(30);

  private static Simulation cluster() {
    return Simulation.of(Given.cluster(4, Policy.DEFAULT, 2, new Given.Job().setup()));
  }

  private static List<RecoveryObject> recoveries(Simulation simulation) {
    return simulation.world().recoveries().list();
  }

  private static RecoveryPhase phase(RecoveryObject recovery) {
    return Objects.requireNonNull(Objects.requireNonNull(recovery.status()).phase());
  }

  private static void recover(Simulation simulation) {
    int before = simulation.recoveries(Given.KEY).size();
    simulation.runFor(Duration.ofMinutes(3));
    simulation.levers().rankDies(Given.KEY, 1, 1);
    assertThat(
            simulation.runUntil(
                () ->
                    recoveries(simulation).size() > before
                        && recoveries(simulation).stream().noneMatch(RecoveryObject::open),
                PATIENCE))
        .isTrue();
  }

  @Test
  void shouldStayWhenTheJobIsDeletedAndGoWhenItIsTooOld() {
    try (Simulation simulation = cluster()) {
      recover(simulation);
      simulation.levers().deleteJob(Given.KEY);
      simulation.runFor(Duration.ofDays(1));
      assertThat(recoveries(simulation))
          .singleElement()
          .satisfies(r -> assertThat(phase(r)).isEqualTo(RecoveryPhase.RECOVERED));

      simulation.runFor(HistoryLimits.DEFAULT.age());
      assertThat(recoveries(simulation)).isEmpty();
    }
  }

  @Test
  void shouldEndARecoveryWhoseJobIsDeletedAmidIt() {
    try (Simulation simulation = cluster()) {
      simulation.runFor(Duration.ofMinutes(3));
      simulation.levers().rankDies(Given.KEY, 1, 1);
      assertThat(simulation.runUntil(() -> !recoveries(simulation).isEmpty(), PATIENCE)).isTrue();
      simulation.levers().deleteJob(Given.KEY);
      simulation.runFor(Duration.ofMinutes(1));
      assertThat(recoveries(simulation))
          .singleElement()
          .satisfies(r -> assertThat(phase(r)).isEqualTo(RecoveryPhase.CANCELLED));
    }
  }

  @Test
  void shouldBringNothingBackWhenItIsDeletedAndGiveItsNameToNoOther() {
    try (Simulation simulation = cluster()) {
      recover(simulation);
      String first = recoveries(simulation).getFirst().meta().name();
      RecoveryObject kept = recoveries(simulation).getFirst();
      simulation.world().recoveries().delete(kept.meta().key(), kept.meta().uid(), null);
      simulation.runFor(Duration.ofMinutes(10));
      assertThat(recoveries(simulation)).as("nothing is wrong with the job").isEmpty();
      assertThat(simulation.training(Given.KEY).moving()).isTrue();

      recover(simulation);
      assertThat(recoveries(simulation).getFirst().meta().name()).isNotEqualTo(first);
    }
  }

  @Test
  void shouldNotCountAgainstAJobThatIsCreatedAgainUnderTheName() {
    try (Simulation simulation = cluster()) {
      JobObject asCreated = simulation.world().jobs().get(Given.KEY.toString());
      recover(simulation);
      simulation.levers().deleteJob(Given.KEY);
      simulation.runFor(Duration.ofMinutes(5));
      simulation.world().copy(asCreated, Given.KEY);
      recover(simulation);
      assertThat(recoveries(simulation))
          .extracting(r -> r.meta().name())
          .as("that of the former job is not taken for its own")
          .containsExactlyInAnyOrder("demo-r1", "demo-r2");
    }
  }
}
