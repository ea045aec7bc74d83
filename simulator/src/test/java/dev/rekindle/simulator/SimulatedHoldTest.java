package dev.rekindle.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.TimelineEntry;
import dev.rekindle.controller.model.JobView.Mode;
import dev.rekindle.controller.model.JobView.RestartPolicy;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.PodView.Phase;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.model.Reason;
import dev.rekindle.controller.model.RestartMode;
import dev.rekindle.simulator.api.Meta;
import dev.rekindle.simulator.process.Reconcilers;
import dev.rekindle.simulator.world.ConfigMapObject;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Recoveries that wait, are called off or are given up, on node-0 to node-2 with node-3 to spare.
 */
class SimulatedHoldTest {
  private SimulatedJob run = new SimulatedJob(Given.job(), Policy.DEFAULT);

  @AfterEach
  void close() {
    run.close();
  }

  @Test
  void shouldHoldWhenTheBreakerIsOpenAndContinueWhenANodeIsReleased() {
    begin(Given.job(), Given.policy(5, 1));
    run.levers().gpuLost("node-3");
    run.until(() -> run.step() > 25);
    run.world().nodes().patch("node-3", n -> n.cordoned(true, "team/other-r1"));

    run.levers().gpuLost("node-1");
    run.until(() -> run.phase() == RecoveryPhase.HELD);
    assertThat(run.pods()).noneMatch(PodView::terminating);
    assertThat(run.node("node-1").unschedulable()).isFalse();
    run.levers().repaired("node-3");
    run.untilOver();

    assertThat(run.only().phase()).isEqualTo(RecoveryPhase.RECOVERED);
    assertThat(run.node("node-1").fencedBy()).isEqualTo("team/demo-r1");
  }

  @Test
  void shouldHoldCalmlyWhileTheBreakerIsFullOfPlacesThatNoCacheShows() {
    begin(Given.job(), Given.policy(5, 1));
    run.until(() -> run.step() > 25);
    Instant taken = takeAPlace();

    run.levers().gpuLost("node-1");
    run.until(() -> run.phase() == RecoveryPhase.HELD);

    assertThat(run.only().timeline().getLast().detail())
        .contains("BreakerOpen", "node-1", "node-3", "the limit of 1");
    run.until(() -> run.now().isAfter(taken.plusSeconds(59)));
    assertThat(run.phase()).isEqualTo(RecoveryPhase.HELD);
    assertThat(run.nodes()).noneMatch(NodeView::unschedulable);
    run.untilOver();
    assertThat(run.only().phase()).isEqualTo(RecoveryPhase.RECOVERED);
    assertThat(run.only().timeline())
        .extracting(TimelineEntry::phase)
        .containsOnlyOnce(RecoveryPhase.HELD);
  }

  @Test
  void shouldAskAFullBreakerAgainOnlyAfterAWhile() {
    begin(Given.job(), Given.policy(5, 1));
    run.until(() -> run.step() > 25);
    Instant taken = takeAPlace();
    run.levers().gpuLost("node-1");
    run.until(() -> run.phase() == RecoveryPhase.HELD);
    int reconciles = run.reconciles();

    run.until(() -> run.now().isAfter(taken.plusSeconds(40)));

    assertThat(run.phase()).isEqualTo(RecoveryPhase.HELD);
    assertThat(run.reconciles() - reconciles).as("reconciles in some 38 s").isBetween(2, 40);
  }

  /** The process died between taking the place and cordoning. */
  private Instant takeAPlace() {
    Instant now = run.now();
    run.world()
        .configMaps()
        .create(
            new ConfigMapObject(
                Meta.draft("rekindle-system", "rekindle-fences", ""),
                Map.of("node-3", "team/other-r1 " + now)));
    return now;
  }

  @Test
  void shouldHoldWhileTheNodeWithTheOnlyCopyIsAwayAndContinueWhenItIsBack() {
    begin(Given.job(), Policy.DEFAULT);
    run.levers().keepCheckpointsOn(Given.KEY, "node-1");
    run.until(() -> run.step() > 25);

    run.levers().nodeDies("node-1");
    run.until(() -> run.phase() == RecoveryPhase.HELD);
    run.runFor(Duration.ofMinutes(20));

    assertThat(run.phase()).isEqualTo(RecoveryPhase.HELD);
    assertThat(run.suspended()).isTrue();
    assertThat(run.only().timeline().getLast().detail())
        .startsWith(
            "CheckpointUnknown: claim ckpt (lvm.hwameistor.io) has the only copy of the"
                + " checkpoints, on node node-1 (silent); bring it back");

    run.levers().nodeReturns("node-1");
    run.untilOver();

    assertThat(run.only().phase()).isEqualTo(RecoveryPhase.RECOVERED);
    assertThat(java.util.Objects.requireNonNull(run.only().plan()).checkpoint())
        .satisfies(pin -> assertThat(pin.step()).isGreaterThanOrEqualTo(20L));
  }

  @Test
  void shouldContinueWithoutTheOnlyCopyOnceItsOwnerAllowsIt() {
    begin(Given.job(), Policy.DEFAULT);
    run.levers().keepCheckpointsOn(Given.KEY, "node-1");
    run.until(() -> run.step() > 25);
    run.levers().nodeDies("node-1");
    run.until(() -> run.phase() == RecoveryPhase.HELD);

    run.world()
        .jobs()
        .patch(Given.KEY.toString(), j -> j.withSetup(j.setup().withBeginsUnreachable(true)));
    run.untilOver();

    assertThat(run.only().phase()).isEqualTo(RecoveryPhase.RECOVERED);
    assertThat(run.suspended()).isFalse();
  }

  /** A recovery makes no gang smaller by itself; its owner may, and needs do nothing else. */
  @Test
  void shouldContinueWithFewerRanksOnceItsOwnerRequestsFewer() {
    run.close();
    run =
        new SimulatedJob(
            Given.cluster(3, Policy.DEFAULT, 2, Given.job().setup()),
            new Random(0),
            0,
            Reconcilers.REAL);
    run.until(() -> run.step() > 25);

    run.levers().nodeDies("node-1");
    run.until(() -> run.phase() == RecoveryPhase.HELD);
    run.runFor(Duration.ofMinutes(5));
    assertThat(run.phase()).isEqualTo(RecoveryPhase.HELD);
    assertThat(run.only().timeline().getLast().detail()).startsWith("NoCapacity: needed: 3 pods");
    assertThat(run.suspended()).isTrue();
    assertThat(run.pods()).isEmpty();

    run.world().resize(run.world().jobs().get(Given.KEY.toString()), 2);
    run.untilOver();

    assertThat(run.only().phase()).isEqualTo(RecoveryPhase.RECOVERED);
    assertThat(run.pods()).hasSize(2).noneMatch(pod -> pod.node().equals("node-1"));
  }

  @Test
  void shouldWaitForApprovalWithoutTouchingTheJob() {
    begin(Given.job().mode(Mode.APPROVE), Policy.DEFAULT);
    run.until(() -> run.step() > 25);

    run.levers().gpuLost("node-1");
    run.until(() -> run.phase() == RecoveryPhase.HELD);
    run.runFor(Duration.ofMinutes(5));

    assertThat(run.phase()).isEqualTo(RecoveryPhase.HELD);
    assertThat(run.suspended()).isFalse();
    assertThat(run.nodes()).noneMatch(NodeView::unschedulable);
  }

  @Test
  void shouldLetAJobGoThatOptsOutBeforeItIsSuspended() {
    begin(Given.job(), Given.policy(5, 0));
    run.until(() -> run.step() > 25);
    run.levers().gpuLost("node-1");
    run.until(() -> run.phase() == RecoveryPhase.HELD);

    run.levers().optOut(Given.KEY);
    run.untilOver();

    assertThat(run.only().phase()).isEqualTo(RecoveryPhase.CANCELLED);
    assertThat(run.deeds()).isEmpty();
    assertThat(run.suspended()).isFalse();
  }

  @Test
  void shouldBringAJobBackThatOptsOutOnceItIsSuspended() {
    begin(Given.job().way(RestartMode.REBUILD), Policy.DEFAULT);
    run.until(() -> run.step() > 25);
    run.levers().gpuLost("node-1");
    run.until(run::suspended);

    run.levers().optOut(Given.KEY);
    run.untilOver();

    assertThat(run.only().phase()).isEqualTo(RecoveryPhase.RECOVERED);
    assertThat(run.suspended()).isFalse();
  }

  @Test
  void shouldGiveUpAfterItsAttemptsAndLeaveTheJobUnsuspended() {
    begin(Given.job().restart(RestartPolicy.NEVER), Policy.DEFAULT);
    run.until(() -> run.step() > 25);
    run.levers().rankDies(Given.KEY, 1, 1);
    for (int attempt = 1; attempt <= 3; attempt++) {
      endAttempt(attempt);
    }
    run.untilOver();

    assertThat(run.only().phase()).isEqualTo(RecoveryPhase.FAILED);
    assertThat(run.suspended()).isFalse();
  }

  @Test
  void shouldStopTryingWhenTheBudgetIsSpent() {
    begin(Given.job().restart(RestartPolicy.NEVER), Given.policy(2, 3));
    run.until(() -> run.step() > 25);
    run.levers().rankDies(Given.KEY, 1, 1);
    for (int attempt = 1; attempt <= 2; attempt++) {
      endAttempt(attempt);
    }
    run.untilOver();
    run.until(() -> run.announced().stream().anyMatch(a -> a.reason() == Reason.BUDGET_EXHAUSTED));

    assertThat(run.only().phase()).isEqualTo(RecoveryPhase.FAILED);
    assertThat(run.only().attempt()).isEqualTo(2);
    assertThat(run.only().timeline().getLast().detail()).contains("budget");
    assertThat(run.deeds()).filteredOn(d -> d.startsWith("resume")).hasSize(2);
    assertThat(run.suspended()).isFalse();
  }

  private void endAttempt(int attempt) {
    run.until(
        () ->
            run.job().attempt().endsWith("-" + attempt)
                && run.pods().size() == 3
                && run.pods().stream().allMatch(p -> p.phase() == Phase.RUNNING));
    run.levers().rankDies(Given.KEY, 1, 1);
  }

  private void begin(Given.Job job, Policy policy) {
    run.close();
    run = new SimulatedJob(job, policy);
  }
}
