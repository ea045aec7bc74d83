package dev.rekindle.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RestartWay;
import dev.rekindle.api.TimelineEntry;
import dev.rekindle.controller.model.JobView.RestartPolicy;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.model.RestartMode;
import dev.rekindle.simulator.world.NodeObject;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Complete recoveries of a job on node-0 to node-2, with node-3 to spare. */
class SimulatedJobTest extends SimulatedJobFixture {
  @Test
  void shouldReplaceOnePodAndRestartTheOthersInPlaceAfterAnXid79() {
    run.until(() -> run.step() > 25);
    Map<String, String> before = uids();
    run.levers().gpuLost("node-1");
    run.untilOver();
    run.until(() -> run.deeds().getLast().startsWith("withdraw"));
    RecoveryStatus status = run.only();
    assertThat(status.phase()).isEqualTo(RecoveryPhase.RECOVERED);
    assertThat(Objects.requireNonNull(status.plan()).restart()).isEqualTo(RestartWay.IN_PLACE);
    assertThat(Objects.requireNonNull(status.outcome()).firstStepAfter()).isEqualTo(21);
    assertThat(run.deeds())
        .filteredOn(d -> !d.startsWith("cordon"))
        .containsExactly(
            "order demo-r1-1 FREEZE",
            "delete demo-worker-0",
            "order demo-r1-1 RESTART_LEADER",
            "order demo-r1-1 RESTART_ALL",
            "withdraw demo-r1-1");
    assertThat(run.pods())
        .filteredOn(p -> p.uid().equals(before.get(p.name())))
        .hasSize(2)
        .allMatch(p -> p.restarts() == 1);
    assertThat(run.pods()).hasSize(3).noneMatch(p -> p.node().equals("node-1"));
  }

  /** Another controller watches the GPUs of this cluster, and reports in a condition. */
  @Test
  void shouldRecoverFromANodeWhoseConditionTurnsBadAndReleaseItWhenItTurnsWell() {
    run.until(() -> run.step() > 25);
    run.levers().condition("node-1", "GPUMissing", "True", "GPUIsMissing");
    run.untilOver();
    RecoveryStatus status = run.only();
    assertThat(status.phase()).isEqualTo(RecoveryPhase.RECOVERED);
    assertThat(Objects.requireNonNull(status.cause()).reason()).isEqualTo("COND-GPUMISSING");
    assertThat(Objects.requireNonNull(status.cause()).faultyNodes()).containsExactly("node-1");
    assertThat(run.deeds()).contains("cordon node-1");
    run.levers().condition("node-1", "GPUMissing", "False", "NoGPUIsMissing");
    run.until(() -> !run.node("node-1").fencedByUs());
    assertThat(run.only().phase()).isEqualTo(RecoveryPhase.RECOVERED);
  }

  /**
   * Back within the time after which a node counts as silent, and its kubelet says Ready at once.
   */
  @Test
  void shouldReleaseANodeWhoseRebootOnlyItsBootIdShows() {
    run.until(() -> run.step() > 25);
    run.levers().gpuLost("node-1");
    run.untilOver();
    NodeObject fenced = run.world().nodes().get("node-1");
    assertThat(fenced.fencedBy()).isNotEmpty();
    Instant rebooted = run.now();
    run.levers().rebootQuietly("node-1", Duration.ofSeconds(4));
    run.until(() -> run.world().nodes().get("node-1").fencedBy().isEmpty());
    NodeObject released = run.world().nodes().get("node-1");
    assertThat(released.since()).as("it was Ready all the time").isEqualTo(fenced.since());
    assertThat(Duration.between(rebooted, run.now()))
        .isBetween(Policy.DEFAULT.rebootSettle(), Policy.DEFAULT.rebootSettle().plusSeconds(10));
  }

  @Test
  void shouldFenceNoNodeForAConditionThatIsOnlyWatched() {
    run.until(() -> run.step() > 25);
    run.levers().condition("node-1", "XIDErrors", "True", "XidFound");
    run.runFor(Duration.ofMinutes(5));

    assertThat(run.world().faults().list())
        .singleElement()
        .satisfies(f -> assertThat(f.view().code()).isEqualTo("COND-XIDERRORS"));
    assertThat(run.deeds()).isEmpty();
  }

  @Test
  void shouldRebuildAJobThatRequestsItAfterAnXid79() {
    begin(Given.job().way(RestartMode.REBUILD), Policy.DEFAULT);
    run.until(() -> run.step() > 25);
    run.levers().gpuLost("node-1");
    run.untilOver();
    RecoveryStatus status = run.only();
    assertThat(status.phase()).isEqualTo(RecoveryPhase.RECOVERED);
    assertThat(status.timeline())
        .extracting(TimelineEntry::phase)
        .containsExactly(
            RecoveryPhase.DETECTED,
            RecoveryPhase.FENCING,
            RecoveryPhase.DRAINING,
            RecoveryPhase.DRAINING,
            RecoveryPhase.PLANNING,
            RecoveryPhase.RESUMING,
            RecoveryPhase.VERIFYING,
            RecoveryPhase.RECOVERED);
    assertThat(Objects.requireNonNull(status.plan()).excludedNodes()).containsExactly("node-1");
    RecoveryStatus.Outcome outcome = Objects.requireNonNull(status.outcome());
    assertThat(outcome.resumedStep()).isEqualTo(20);
    assertThat(outcome.firstStepAfter()).isEqualTo(21);
    assertThat(outcome.secondsPerPhase().get("Draining"))
        .as("the cap of 5 s, not the 30 s that the pods ask for")
        .isBetween(5.0, 8.0);
    List<String> deeds = run.deeds();
    assertThat(deeds.indexOf("cordon node-1")).isNotNegative();
    assertThat(deeds.indexOf("cordon node-1"))
        .isLessThan(
            deeds.indexOf(
                deeds.stream().filter(d -> d.startsWith("delete")).findFirst().orElseThrow()));
    assertThat(run.pods()).hasSize(3).noneMatch(p -> p.node().equals("node-1"));
  }

  @ParameterizedTest
  @EnumSource(
      value = RestartPolicy.class,
      names = {"NEVER", "EXIT_CODE"})
  void shouldReviveAJobThatTheOperatorFailed(RestartPolicy policy) {
    begin(Given.job().restart(policy), Policy.DEFAULT);
    run.until(() -> run.step() > 25);

    // No controller suspends the job before the operator fails it.
    run.levers().controllerDies();
    run.levers().rankDies(Given.KEY, 2, 1);
    run.untilOver();
    assertThat(run.events()).anyMatch(t -> t.contains("the operator says: Failed"));
    assertThat(run.only().phase()).isEqualTo(RecoveryPhase.RECOVERED);
    assertThat(run.nodes()).noneMatch(NodeView::unschedulable);
  }

  @Test
  void shouldRestartAStoppedRankAndFenceNoNode() {
    run.until(() -> run.step() > 25);
    run.levers().rankHangs(Given.KEY, 1);
    run.untilOver();
    assertThat(Objects.requireNonNull(run.only().cause()).reason()).isEqualTo("Stalled");
    assertThat(run.only().phase()).isEqualTo(RecoveryPhase.RECOVERED);
    assertThat(run.nodes()).noneMatch(NodeView::unschedulable);
  }

  @Test
  void shouldContinueWithoutASilentNodeAndKeepGenerationsApartWhenItComesBack() {
    run.until(() -> run.step() > 25);
    run.levers().nodeHangs("node-1");
    run.untilOver();
    run.levers().nodeReturns("node-1");
    long then = run.step();
    run.until(() -> run.step() > then + 600);
    assertThat(run.only().phase()).isEqualTo(RecoveryPhase.RECOVERED);
    assertThat(run.deeds()).filteredOn(d -> d.startsWith("force")).hasSize(1);
    assertThat(run.nodes()).noneMatch(NodeView::fencedByUs);
  }
}
