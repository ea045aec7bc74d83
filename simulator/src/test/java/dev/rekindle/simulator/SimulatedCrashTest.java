package dev.rekindle.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.controller.model.JobView.RestartPolicy;
import dev.rekindle.controller.model.Policy;
import java.time.Instant;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Recoveries whose controller is killed around any of its calls. */
class SimulatedCrashTest {
  private SimulatedJob run = new SimulatedJob(Given.job(), Policy.DEFAULT);

  @AfterEach
  void close() {
    run.close();
  }

  @Test
  void shouldSurviveACrashAtAnyCall() {
    for (int seed = 0; seed < 300; seed++) {
      Random random = new Random(seed);
      beginCrashing(random);
      try {
        run.until(() -> run.step() > 25);
        befall(random);
        run.untilOver();
        run.until(() -> !run.suspended());
        assertThat(run.only().phase()).isEqualTo(RecoveryPhase.RECOVERED);
      } catch (AssertionError broken) {
        throw new AssertionError("seed " + seed + " " + run, broken);
      }
    }
  }

  @Test
  void shouldNeverLeaveAJobSuspendedThatOptsOutAtAnyMomentWithACrashAtAnyCall() {
    for (int seed = 0; seed < 300; seed++) {
      Random random = new Random(seed);
      beginCrashing(random);
      try {
        run.until(() -> run.step() > 25);
        befall(random);
        run.until(() -> run.phase() != null);
        Instant optOut = run.now().plusMillis(100L * random.nextInt(100));
        run.until(() -> !run.now().isBefore(optOut));
        boolean suspended = run.suspended();
        run.levers().optOut(Given.KEY);
        run.until(() -> !run.suspended());
        run.untilOver();
        assertThat(run.suspended()).isFalse();
        assertThat(run.only().phase())
            .isIn(RecoveryPhase.RECOVERED, suspended ? null : RecoveryPhase.CANCELLED);
      } catch (AssertionError broken) {
        throw new AssertionError("seed " + seed + " " + run, broken);
      }
    }
  }

  private void befall(Random random) {
    String node = "node-" + random.nextInt(3);
    switch (random.nextInt(3)) {
      case 0 -> run.levers().gpuLost(node);
      case 1 -> run.levers().nodeHangs(node);
      default -> {
        run.levers().tearNewestCheckpoint(Given.KEY);
        run.levers().gpuLost(node);
      }
    }
  }

  private void beginCrashing(Random random) {
    RestartPolicy policy = List.of(RestartPolicy.values()).get(random.nextInt(4));
    run.close();
    run = new SimulatedJob(Given.job().restart(policy), Policy.DEFAULT, random, 0.15);
  }
}
