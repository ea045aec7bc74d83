package dev.rekindle.controller.recovery;

import static dev.rekindle.controller.Given.T0;
import static dev.rekindle.controller.Given.gang;
import static dev.rekindle.controller.Given.job;
import static dev.rekindle.controller.recovery.Decisions.detail;
import static dev.rekindle.controller.recovery.Decisions.entered;
import static dev.rekindle.controller.recovery.InPlaceScene.ME;
import static dev.rekindle.controller.recovery.InPlaceScene.NOW;
import static dev.rekindle.controller.recovery.RecoverySnapshots.broken;
import static dev.rekindle.controller.recovery.RecoverySnapshots.decide;
import static dev.rekindle.controller.recovery.RecoverySnapshots.snapshot;
import static dev.rekindle.controller.recovery.RecoverySnapshots.status;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.CheckpointVerdict;
import dev.rekindle.api.FormerRun;
import dev.rekindle.api.PinnedCheckpoint;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RecoveryStatus.Cause;
import dev.rekindle.api.RecoveryStatus.Plan;
import dev.rekindle.controller.Given;
import dev.rekindle.controller.model.JobView.RestartPolicy;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.model.RankView;
import dev.rekindle.controller.model.Reason;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** When a gang counts as recovered, and when it is tried again. */
class VerifyingTest {
  @Test
  void shouldNotCallItRecoveredWhileARankIsNotReadyThoughStepsWereSeen() {
    List<PodView> gang = new ArrayList<>(gang(ME + "-1"));
    gang.set(2, gang.get(2).withReady(false));
    RecoverySnapshot snapshot =
        snapshot(
            job(),
            status(RecoveryPhase.VERIFYING, null, 1),
            gang,
            Given.ranks(gang, 21L, NOW, NOW),
            1);

    assertThat(RecoveryMachine.decide(snapshot, Policy.DEFAULT, NOW))
        .isInstanceOf(Decision.Wait.class);
  }

  /** Its machine was exchanged, or repaired, after the gang was planned. */
  @Test
  void shouldCallItRecoveredOnANodeThatWasExcludedAndIsFitAgain() {
    RecoveryStatus verifying = status(RecoveryPhase.VERIFYING, null, 1);
    Plan plan = Objects.requireNonNull(verifying.plan());
    List<PodView> gang = gang(ME + "-1");
    RecoverySnapshot s =
        snapshot(
            job(),
            verifying.withPlan(plan.withExcludedNodes(List.of(gang.get(1).node()))),
            gang,
            Given.ranks(gang, 21L, NOW, NOW),
            1);

    assertThat(entered(RecoveryMachine.decide(s, Policy.DEFAULT, NOW)))
        .isEqualTo(RecoveryPhase.RECOVERED);
  }

  /**
   * Kubelets had started the containers again before the failure was known: the step is not, but
   * steps were seen. Ready is not enough then: the script may yet fail to load its checkpoint.
   */
  @ParameterizedTest
  @CsvSource({"true, false", ", true"})
  void shouldWaitForStepsThatWereSeenBeforeKubeletsRestarted(
      @Nullable Boolean sawSteps, boolean over) {
    RecoveryStatus verifying = status(RecoveryPhase.VERIFYING, null, 1);
    Cause cause =
        Objects.requireNonNull(verifying.cause())
            .with(b -> b.lastStep(null).before(new FormerRun(T0, null, null, sawSteps)));
    List<PodView> gang = gang(ME + "-1");
    RecoverySnapshot s =
        snapshot(job(), verifying.withCause(cause), gang, Given.ranks(gang, null, null, NOW), 1);

    assertThat(RecoveryMachine.decide(s, Policy.DEFAULT, T0.plusSeconds(60)))
        .isInstanceOf(over ? Decision.Move.class : Decision.Wait.class);
  }

  /**
   * All agents are away, as in an upgrade of theirs that fails: a gang that trains is not stopped
   * for it, and its checkpoint not blamed.
   */
  @Test
  void shouldNotGiveUpAGangThatNoAgentHasInspectedSinceItShouldHaveMoved() {
    RecoveryStatus verifying = status(RecoveryPhase.VERIFYING, null, 1);
    List<PodView> gang = gang(ME + "-1");
    Instant due = T0.plus(Policy.DEFAULT.start());
    Instant late = due.plus(NewGang.REPORTS).plusMillis(1);

    for (List<RankView> unseen :
        List.of(Given.ranks(gang, null, null, due.minusSeconds(1)), List.<RankView>of())) {
      RecoverySnapshot s = snapshot(job(), verifying, gang, unseen, 1);
      for (Instant early : List.of(due, due.plusMillis(1), due.plus(NewGang.REPORTS))) {
        assertThat(RecoveryMachine.decide(s, Policy.DEFAULT, early))
            .as("it may have looked a moment ago, and looks again")
            .isInstanceOf(Decision.Wait.class);
      }
      RecoveryStatus next =
          ((Decision.Move) RecoveryMachine.decide(s, Policy.DEFAULT, late)).next();
      assertThat(next.phase()).isEqualTo(RecoveryPhase.RECOVERED);
      assertThat(Objects.requireNonNull(next.outcome()).firstStepAfter()).isNull();
      List<PodView> notReady = new ArrayList<>(gang);
      notReady.set(2, gang.get(2).withReady(false));
      Decision inPart = RecoveryMachine.decide(s.withPods(notReady), Policy.DEFAULT, late);
      assertThat(((Decision.Move) inPart).next().phase()).isEqualTo(RecoveryPhase.DRAINING);
    }
    RecoverySnapshot seen =
        snapshot(job(), verifying, gang, Given.ranks(gang, null, null, due.plusSeconds(1)), 1);
    assertThat(
            ((Decision.Move) RecoveryMachine.decide(seen, Policy.DEFAULT, due.plusSeconds(2)))
                .next()
                .phase())
        .isEqualTo(RecoveryPhase.DRAINING);
  }

  /** The step that it was given, and then nothing: it ends. */
  @Test
  void shouldNotWaitForAgentsForEverWhereTheGangWasSeenNotToHavePassedItsCheckpoint() {
    RecoveryStatus verifying = status(RecoveryPhase.VERIFYING, null, 1);
    PinnedCheckpoint pin =
        new PinnedCheckpoint(CheckpointVerdict.VALID, "/ckpt/40", 40L, "", "", null, "");
    List<PodView> gang = gang(ME + "-1");
    Instant due = T0.plus(Policy.DEFAULT.start());
    RecoverySnapshot s =
        snapshot(
            job(),
            verifying.withPlan(Objects.requireNonNull(verifying.plan()).withCheckpoint(pin)),
            gang,
            Given.ranks(gang, 40L, T0.plusSeconds(5), T0.plusSeconds(5)).stream()
                .map(r -> r.withFirstStep(40L))
                .toList(),
            1);

    assertThat(RecoveryMachine.decide(s, Policy.DEFAULT, due.plus(NewGang.REPORTS)))
        .isInstanceOf(Decision.Wait.class);
    Decision late =
        RecoveryMachine.decide(s, Policy.DEFAULT, due.plus(NewGang.REPORTS).plusMillis(1));
    assertThat(((Decision.Move) late).next().phase()).isEqualTo(RecoveryPhase.DRAINING);
  }

  /** Of the GPUs that the gang holds, also where its template requests others by now. */
  @ParameterizedTest
  @ValueSource(longs = {24, 48})
  void shouldCountLostGpuTimeToTheMillisecond(long asked) {
    Instant trains = T0.plusMillis(83_064);
    List<PodView> gang = gang(ME + "-1");
    RecoverySnapshot snapshot =
        snapshot(
                job(),
                status(RecoveryPhase.VERIFYING, null, 1),
                gang,
                Given.ranks(gang, 21L, trains, trains),
                1)
            .with(b -> b.job(job().view().with(j -> j.gpus(asked))));

    RecoveryStatus next =
        ((Decision.Move) RecoveryMachine.decide(snapshot, Policy.DEFAULT, T0.plusSeconds(90)))
            .next();

    // 83.064 * 24 is 1993.5359999999998
    assertThat(Objects.requireNonNull(next.outcome()).lostGpuSeconds()).isEqualTo(1993.536);
  }

  /** The defaults: five restarts within the window, three attempts. */
  @ParameterizedTest
  @CsvSource({
    "1, 1, DRAINING",
    "1, 4, DRAINING",
    "1, 5, FAILED",
    "2, 4, DRAINING",
    "2, 5, FAILED",
    "2, 6, FAILED"
  })
  void shouldTryAgainOnlyWithinTheBudget(int attempt, int restarts, RecoveryPhase next) {
    Decision decision =
        decide(
            job().restart(RestartPolicy.NEVER),
            status(RecoveryPhase.VERIFYING, null, attempt),
            broken(attempt),
            restarts);

    assertThat(entered(decision)).isEqualTo(next);
    if (next == RecoveryPhase.FAILED) {
      assertThat(detail(decision))
          .contains("attempt " + attempt, "demo-worker-0 failed", "budget", "maxRestarts is 5");
      assertThat(((Decision.Move) decision).notes())
          .singleElement()
          .satisfies(n -> assertThat(n.reason()).isEqualTo(Reason.RECOVERY_FAILED));
    }
  }

  /** What the drain finds out as well, unless the node answers again in between. */
  @Test
  void shouldKeepTheNextAttemptOffANodeThatFellSilentUnderThisOne() {
    List<PodView> gang = gang(ME + "-1");
    String silent = gang.get(2).node();
    Map<String, NodeView> nodes = new HashMap<>(Given.nodes());
    Instant since = NOW.minus(Policy.DEFAULT.silentNode());
    nodes.put(silent, Given.node(silent, NodeView.Readiness.SILENT, since, false, ""));
    RecoveryStatus verifying = status(RecoveryPhase.VERIFYING, null, 1);

    Decision decision =
        RecoveryMachine.decide(
            snapshot(job(), verifying, gang, nodes, List.of(), List.of(), 1), Policy.DEFAULT, NOW);

    RecoveryStatus next = ((Decision.Move) decision).next();
    assertThat(next.attempt()).isEqualTo(2);
    assertThat(Objects.requireNonNull(next.cause()).silentNodes()).containsExactly(silent);
  }
}
