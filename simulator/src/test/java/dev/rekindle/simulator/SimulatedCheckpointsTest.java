package dev.rekindle.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.PinnedCheckpoint;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RestartWay;
import dev.rekindle.controller.model.JobView.RestartPolicy;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.Policy;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Which checkpoint a job on node-0 to node-2 resumes from. */
class SimulatedCheckpointsTest extends SimulatedJobFixture {
  @Test
  void shouldCountTheStepsTrainedUntilTheGangWasGone() {
    begin(
        Given.job()
            .restart(RestartPolicy.NEVER)
            .training(Duration.ofMillis(100), 250, Duration.ZERO),
        Policy.DEFAULT);
    run.until(() -> run.step() > 25);

    // The GPU is lost to the driver, while ranks train on in host memory until they are ended.
    run.stateFault("node-1");
    run.until(() -> run.phase() == RecoveryPhase.PLANNING);
    long reached = run.step();
    run.untilOver();
    RecoveryStatus.Outcome outcome = Objects.requireNonNull(run.only().outcome());
    long last = Objects.requireNonNull(Objects.requireNonNull(run.only().cause()).lastStep());
    long resumed = Objects.requireNonNull(outcome.resumedStep());
    assertThat(last).as("%d, as reported every 5 s", reached).isBetween(reached - 63, reached);
    assertThat(resumed).isEqualTo(250);
    assertThat(outcome.lostSteps()).isEqualTo(last - resumed).isPositive();
  }

  @Test
  void shouldPassOverATornCheckpoint() {
    run.until(() -> run.step() > 35);
    run.levers().tearNewestCheckpoint(Given.KEY);
    run.levers().gpuLost("node-2");
    run.untilOver();

    PinnedCheckpoint pin =
        Objects.requireNonNull(Objects.requireNonNull(run.only().plan()).checkpoint());
    assertThat(pin.step()).isEqualTo(20);
    assertThat(pin.message()).contains("step 30 torn");
  }

  @Test
  void shouldRestartAllInPlaceOnceWhenTheScriptRequestsIt() {
    run.until(() -> run.step() > 25);
    Map<String, String> before = uids();
    run.levers().restartAsked(Given.KEY, 1);
    run.untilOver();
    long then = run.step();
    run.until(() -> run.step() > then + 600);
    RecoveryStatus status = run.only();
    assertThat(Objects.requireNonNull(status.cause()).reason()).isEqualTo("RestartAsked");
    assertThat(Objects.requireNonNull(status.plan()).restart()).isEqualTo(RestartWay.IN_PLACE);
    assertThat(uids()).isEqualTo(before);
    assertThat(run.pods()).allMatch(p -> p.restarts() == 1);
    assertThat(run.nodes()).noneMatch(NodeView::unschedulable);
  }

  @Test
  void shouldGoBackOnPurposeAndNeverReturnToWhatWasGivenUp() {
    begin(Given.job().training(Duration.ofMillis(100), 50, Duration.ZERO), Policy.DEFAULT);
    run.until(() -> run.step() > 230);
    run.levers().rollBackAsked(Given.KEY, 1, 60);
    run.untilOver();

    PinnedCheckpoint back =
        Objects.requireNonNull(Objects.requireNonNull(run.only().plan()).checkpoint());
    assertThat(back.step()).as(back.message()).isEqualTo(150);
    assertThat(Objects.requireNonNull(back.rollBack()).from()).isGreaterThan(200);
    run.until(() -> run.step() > 205);
    run.levers().gpuLost("node-1");
    run.untilOver(2);
    PinnedCheckpoint next =
        Objects.requireNonNull(Objects.requireNonNull(run.newest().plan()).checkpoint());
    assertThat(next.step()).isEqualTo(200);
    assertThat(next.message()).contains("step 250 valid (given up)");
  }

  @Test
  void shouldPinInPlaceAgainWhatARebuildPinned() {
    begin(Given.job().training(Duration.ofMillis(100), 50, Duration.ZERO), Policy.DEFAULT);
    run.until(() -> run.step() > 230);
    run.levers().rollBackAsked(Given.KEY, 1, 60);
    run.untilOver();
    assertThat(Objects.requireNonNull(run.only().plan()).restart()).isEqualTo(RestartWay.REBUILD);
    run.until(() -> run.step() > 280);
    run.levers().rollBackAsked(Given.KEY, 1, 60);
    run.untilOver(2);
    RecoveryStatus.Plan back = Objects.requireNonNull(run.newest().plan());
    assertThat(back.restart()).isEqualTo(RestartWay.IN_PLACE);
    assertThat(Objects.requireNonNull(back.checkpoint()).rollBack()).isNotNull();
    assertThat(run.pods())
        .extracting(PodView::resumeFrom)
        .containsOnly(Objects.requireNonNull(back.checkpoint()).path());
    run.until(() -> run.step() > 300);
    run.levers().gpuLost("node-1");
    run.untilOver(3);
    assertThat(run.newest().phase()).isEqualTo(RecoveryPhase.RECOVERED);
  }
}
