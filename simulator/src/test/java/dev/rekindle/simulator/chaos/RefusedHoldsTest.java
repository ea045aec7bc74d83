package dev.rekindle.simulator.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.model.RestartMode;
import dev.rekindle.simulator.Given;
import dev.rekindle.simulator.Simulation;
import dev.rekindle.simulator.process.Answers.Answer;
import dev.rekindle.simulator.process.Answers.Call;
import dev.rekindle.simulator.process.CarelessControllers;
import dev.rekindle.simulator.process.Reconcilers;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * Broken controllers that hardly any seed catches, as a write that is refused for good has to meet
 * a certain moment: each in a run in which it does.
 */
class RefusedHoldsTest {
  private static final Duration LOOK = Duration.ofSeconds(5);

  private static final class Run implements AutoCloseable {
    private final WriteObservers deeds = new WriteObservers();
    private final Simulation simulation;
    private final Invariants invariants;

    private Run(Reconcilers.Factory controller, Given.Job job) {
      simulation =
          Simulation.of(Given.cluster(5, Policy.DEFAULT, 2, job.setup()), controller, deeds);
      invariants =
          new Invariants(
              simulation.world(),
              Policy.DEFAULT,
              simulation.fleet().answers(),
              simulation::now,
              Duration.ofSeconds(1));
      deeds.to(List.of(invariants.deeds()));
      simulation.runFor(Duration.ofSeconds(30));
    }

    private void refuse(Call call) {
      simulation
          .fleet()
          .answers()
          .add(
              new Answer(
                  Set.of(call),
                  call.ofNodes() ? null : Given.KEY,
                  403,
                  "is forbidden",
                  Duration.ZERO,
                  null));
    }

    private String node() {
      return simulation.pods(Given.KEY).getLast().node();
    }

    private void lookFor(Duration time) {
      for (Duration past = Duration.ZERO; past.compareTo(time) < 0; past = past.plus(LOOK)) {
        simulation.runFor(LOOK);
        invariants.look();
      }
    }

    private Optional<Invariant> broken() {
      return invariants.violation().map(Violation::invariant);
    }

    @Override
    public void close() {
      simulation.close();
    }
  }

  private static Optional<Invariant> whereNoFenceMayBeLifted(Reconcilers.Factory controller) {
    try (Run run = new Run(controller, Given.job().way(RestartMode.REBUILD))) {
      run.refuse(Call.RELEASE);
      String node = run.node();
      run.simulation.levers().gpuLost(node);
      run.simulation.runFor(Duration.ofSeconds(60));
      run.simulation.levers().repaired(node);
      run.simulation.runFor(Duration.ofMinutes(10));
      return run.broken();
    }
  }

  private static Optional<Invariant> whereAFrozenJobMayNotBeSuspended(
      Reconcilers.Factory controller) {
    try (Run run = new Run(controller, Given.job().way(RestartMode.IN_PLACE))) {
      run.refuse(Call.SUSPEND);
      String node = run.node();
      String uid = run.simulation.job(Given.KEY).uid();
      run.simulation.levers().rankHangs(Given.KEY, 1);
      boolean frozen =
          run.simulation.runUntil(
              () -> !run.simulation.world().gang(uid).processes().thawable(true).isEmpty(),
              Duration.ofMinutes(20));
      assertThat(frozen).isTrue();
      run.simulation.levers().cutOff(node);
      run.lookFor(Duration.ofMinutes(4));
      return run.broken();
    }
  }

  @Test
  void shouldCatchAControllerThatSaysNothingOfWhatItMayNotWriteOnNodes() {
    assertThat(whereNoFenceMayBeLifted(CarelessControllers.silentAboutNodes()))
        .contains(Invariant.SAID_REFUSALS);
    assertThat(whereNoFenceMayBeLifted(Reconcilers.REAL)).isEmpty();
  }

  @Test
  void shouldCatchAControllerThatKeepsAGangFrozenWhileItsRecoveryIsHeld() {
    assertThat(whereAFrozenJobMayNotBeSuspended(CarelessControllers.keepingOrdersWhileHeld()))
        .contains(Invariant.FROZEN_WHILE_HELD);
    assertThat(whereAFrozenJobMayNotBeSuspended(Reconcilers.REAL)).isEmpty();
  }
}
