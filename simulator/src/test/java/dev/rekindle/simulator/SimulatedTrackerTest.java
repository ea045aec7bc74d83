package dev.rekindle.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.TrackerChange;
import dev.rekindle.api.TrackerResult;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.model.Reason;
import dev.rekindle.controller.model.RestartMode;
import java.time.Duration;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A job that is given nothing, and loads what the tracker of its framework names. */
class SimulatedTrackerTest {
  private static Given.Job job() {
    return Given.job().byTracker().training(Duration.ofSeconds(2), 10, Duration.ofSeconds(1));
  }

  private SimulatedJob run = new SimulatedJob(job(), Policy.DEFAULT);

  @AfterEach
  void close() {
    run.close();
  }

  private static TrackerChange change(RecoveryStatus status) {
    return Objects.requireNonNull(Objects.requireNonNull(status.plan()).tracker());
  }

  @Test
  void shouldMakeItNameTheOneBeforeATornOne() {
    run.until(() -> run.step() > 45);
    run.levers().tearNewestCheckpoint(Given.KEY);
    run.levers().gpuLost("node-1");
    run.untilOver();

    RecoveryStatus status = run.only();
    assertThat(status.phase()).isEqualTo(RecoveryPhase.RECOVERED);
    assertThat(status.attempt()).as("the script loaded it at once").isOne();
    assertThat(change(status).result()).isEqualTo(TrackerResult.REWRITTEN);
    assertThat(change(status).before()).isEqualTo("global_step40");
    assertThat(change(status).now()).isEqualTo("global_step30");
    assertThat(Objects.requireNonNull(status.outcome()).firstStepAfter()).isEqualTo(31);
    assertThat(run.announced())
        .filteredOn(said -> said.reason() == Reason.TRACKER_REWRITTEN)
        .hasSize(1);
  }

  @Test
  void shouldLeaveItWhereItNamesTheNewestCompleteOne() {
    run.close();
    run = new SimulatedJob(job().way(RestartMode.REBUILD), Policy.DEFAULT);
    run.until(() -> run.step() > 45);
    run.levers().gpuLost("node-1");
    run.untilOver();

    assertThat(run.only().phase()).isEqualTo(RecoveryPhase.RECOVERED);
    assertThat(change(run.only()).result()).isEqualTo(TrackerResult.UNCHANGED);
  }
}
