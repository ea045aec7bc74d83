package dev.rekindle.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.PlacementPlan.Replacement;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RecoveryStatus.Plan;
import dev.rekindle.api.RestartWay;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.model.RestartMode;
import dev.rekindle.simulator.process.Reconcilers;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A second node of the gang is lost while the gang is frozen for the first. */
class SimulatedSecondFaultTest {
  private static Plan plan(RecoveryStatus status) {
    return Objects.requireNonNull(status.plan());
  }

  private static boolean isIn(SimulatedJob run, RecoveryPhase phase) {
    if (run.recoveries().isEmpty()) {
      return false;
    }
    RecoveryStatus status = run.recoveries().getFirst().status();
    return status != null
        && status.phase() == phase
        && status.plan() != null
        && status.plan().placement() != null;
  }

  @ParameterizedTest
  @EnumSource(names = {"DRAINING", "PLANNING"})
  void shouldReplaceBothInOneAttemptAndSayHowManyStay(RecoveryPhase phase) {
    try (SimulatedJob run =
        new SimulatedJob(
            Given.cluster(
                8, Policy.DEFAULT, 2, Given.job().ranks(4, 8).way(RestartMode.IN_PLACE).setup()),
            new Random(0),
            0,
            Reconcilers.REAL)) {
      run.until(() -> run.step() > 25);
      run.stateFault("node-1");
      run.until(() -> isIn(run, phase));
      run.stateFault("node-2");
      run.untilOver();

      RecoveryStatus status = run.only();
      assertThat(status.phase()).isEqualTo(RecoveryPhase.RECOVERED);
      assertThat(status.attempt()).isEqualTo(1);
      assertThat(Objects.requireNonNull(status.cause()).faultyNodes())
          .containsExactly("node-1", "node-2");
      assertThat(plan(status).restart()).isEqualTo(RestartWay.IN_PLACE);
      assertThat(plan(status).restartReason()).isEqualTo("2 of 4 pods stay where they are");
      assertThat(Objects.requireNonNull(plan(status).placement()).replacements())
          .extracting(Replacement::from)
          .containsExactly("node-1", "node-2");
      assertThat(run.pods()).extracting(PodView::node).doesNotContain("node-1", "node-2");
    }
  }
}
