package dev.rekindle.simulator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rekindle.api.Scorecard;
import dev.rekindle.api.ShadowVerdict;
import dev.rekindle.controller.model.JobView.Mode;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.simulator.process.HastyVerdicts;
import dev.rekindle.simulator.process.Reconcilers;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What a scorecard says after an hour, on a job that is only observed. */
class SimulatedVerdictsTest {
  private static SimulatedJob observed(Reconcilers.Factory controller) {
    return new SimulatedJob(
        Given.cluster(4, Policy.DEFAULT, 2, Given.job().mode(Mode.OBSERVE).setup()),
        new Random(0),
        0,
        controller);
  }

  /** A GPU is to be replaced, and its rank trains on. */
  private static void remapFails(SimulatedJob run) {
    run.until(() -> run.step() > 25);
    run.levers().rowRemapFails("node-1");
  }

  /** The node changes, so that the controller reconciles it. */
  private static void isLookedAt(SimulatedJob run) {
    run.runFor(Duration.ofMinutes(2));
    run.levers().condition("node-1", "Odd", "True", "Seen");
    run.runFor(Duration.ofMinutes(1));
  }

  private static List<Scorecard.Entry> entries(SimulatedJob run) {
    return run.world().policies().get("default").card().recent();
  }

  @Test
  void shouldSayThatNothingHappenedOnlyAfterAnHour() {
    try (SimulatedJob run = observed(Reconcilers.REAL)) {
      remapFails(run);
      run.runFor(Duration.ofMinutes(59));
      assertThat(entries(run)).anyMatch(Scorecard.Entry::open);

      run.runFor(Duration.ofMinutes(3));
      assertThat(entries(run))
          .anySatisfy(
              e -> {
                assertThat(e.verdict()).isEqualTo(ShadowVerdict.WRONG);
                assertThat(e.then()).isEqualTo("nothing happened for an hour");
              });
    }
  }

  @Test
  void shouldCatchAControllerThatTakesAMinuteForAnHour() {
    try (SimulatedJob run = observed(HastyVerdicts.hours())) {
      remapFails(run);
      assertThatThrownBy(() -> isLookedAt(run)).hasMessageContaining("it was written at");
    }
  }

  @Test
  void shouldCatchAControllerThatTakesABurstForTheFaultSeenAgain() {
    try (SimulatedJob run = observed(HastyVerdicts.bursts())) {
      remapFails(run);
      assertThatThrownBy(() -> isLookedAt(run)).hasMessageContaining("of the same burst");
    }
  }
}
