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
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.controller.Given;
import dev.rekindle.controller.model.JobView.Mode;
import dev.rekindle.controller.model.JobView.OptIn;
import dev.rekindle.controller.model.JobView.RestartPolicy;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.Policy;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Jobs that opt out, or are handed to others, while a recovery is open. */
class OptOutTest {
  static final OptIn NO = new OptIn.No();
  static final OptIn OBSERVE = new OptIn.Yes(Mode.OBSERVE);
  static final OptIn UNUSABLE = new OptIn.Unusable("rekindle.dev/recover=\"maybe\"");

  static Stream<Arguments> notYetSuspended() {
    return Stream.of(
        argumentSet("removed while Detected", NO, RecoveryPhase.DETECTED, null),
        argumentSet("lowered while Detected", OBSERVE, RecoveryPhase.DETECTED, null),
        argumentSet("removed while Fencing", NO, RecoveryPhase.FENCING, null),
        argumentSet("unusable while Fencing", UNUSABLE, RecoveryPhase.FENCING, null),
        argumentSet(
            "removed while held for approval", NO, RecoveryPhase.HELD, RecoveryPhase.DETECTED),
        argumentSet(
            "lowered while the breaker is open",
            OBSERVE,
            RecoveryPhase.HELD,
            RecoveryPhase.FENCING),
        argumentSet("removed before the suspension", NO, RecoveryPhase.DRAINING, null),
        argumentSet("unusable before the suspension", UNUSABLE, RecoveryPhase.DRAINING, null));
  }

  @ParameterizedTest
  @MethodSource("notYetSuspended")
  void shouldLetAJobGoThatOptsOutBeforeItIsSuspended(
      OptIn optIn, RecoveryPhase phase, @Nullable RecoveryPhase heldFrom) {
    Decision decision = decide(job().optIn(optIn), status(phase, heldFrom, 1), gang(""), 0);

    assertThat(entered(decision)).isEqualTo(RecoveryPhase.CANCELLED);
    assertThat(detail(decision)).contains("the job opted out");
  }

  static Stream<Arguments> suspended() {
    return Stream.of(
        argumentSet("Fencing again", ME, RecoveryPhase.FENCING, null, "XID-79"),
        argumentSet("Draining", ME, RecoveryPhase.DRAINING, null, "XID-79"),
        argumentSet("drain blocked", ME, RecoveryPhase.HELD, RecoveryPhase.DRAINING, "XID-79"),
        argumentSet("Planning", ME, RecoveryPhase.PLANNING, null, "XID-79"),
        argumentSet("Resuming", ME, RecoveryPhase.RESUMING, null, "XID-79"),
        argumentSet("orphan, Detected", "demo-r1", RecoveryPhase.DETECTED, null, "Orphaned"),
        argumentSet("orphan, Draining", "demo-r1", RecoveryPhase.DRAINING, null, "Orphaned"));
  }

  @ParameterizedTest
  @MethodSource("suspended")
  void shouldCarryOnWithAJobThatOptsOutOnceItIsSuspended(
      String by, RecoveryPhase phase, @Nullable RecoveryPhase heldFrom, String reason) {
    RecoveryStatus status = status(phase, heldFrom, 1, reason);

    Decision optedIn = decide(job().suspended(by, true), status, gang(""), 0);

    for (OptIn optIn : List.of(NO, OBSERVE, UNUSABLE)) {
      assertThat(decide(job().optIn(optIn).suspended(by, true), status, gang(""), 0))
          .as("%s", optIn)
          .isEqualTo(optedIn);
    }
    if (optedIn instanceof Decision.Move(RecoveryStatus next, _)) {
      assertThat(Objects.requireNonNull(next.phase()).isTerminal()).isFalse();
    }
  }

  static Stream<Arguments> leftAlone() {
    return Stream.of(
        argumentSet("opted out", job().optIn(NO), "the job opted out"),
        argumentSet(
            "handed to an autoscaler",
            job().notOurs("spec.elasticPolicy lets torchrun go on with 1 to 8 replicas."),
            "not ours: spec.elasticPolicy"));
  }

  @ParameterizedTest
  @MethodSource("leftAlone")
  void shouldNotTryAgainWhatIsToBeLeftAloneMeanwhile(Given.Job job, String why) {
    Decision decision =
        decide(
            job.restart(RestartPolicy.NEVER),
            status(RecoveryPhase.VERIFYING, null, 1),
            broken(1),
            1);

    assertThat(entered(decision)).isEqualTo(RecoveryPhase.CANCELLED);
    assertThat(detail(decision)).contains(why, "attempt 1", "failed");
  }

  @ParameterizedTest
  @EnumSource(
      value = RecoveryPhase.class,
      names = {"DETECTED", "FENCING", "DRAINING"})
  void shouldLetAJobGoThatIsHandedToAnotherBeforeItIsSuspended(RecoveryPhase phase) {
    Decision decision =
        decide(job().notOurs("Kueue owns the job."), status(phase, null, 1), gang(""), 0);

    assertThat(entered(decision)).isEqualTo(RecoveryPhase.CANCELLED);
    assertThat(detail(decision)).contains("Kueue owns the job");
  }

  @Test
  void shouldStillCallItRecoveredWhenAJobThatOptedOutTrainsAgain() {
    List<PodView> gang = gang(ME + "-1");
    RecoverySnapshot snapshot =
        snapshot(
            job().optIn(NO),
            status(RecoveryPhase.VERIFYING, null, 1),
            gang,
            Given.ranks(gang, 21L, NOW, NOW),
            1);

    assertThat(entered(RecoveryMachine.decide(snapshot, Policy.DEFAULT, NOW)))
        .isEqualTo(RecoveryPhase.RECOVERED);
  }

  @Test
  void shouldNotWaitForTheStepsOfAJobThatOptedOutWhichAgentsFollowNoMore() {
    RecoveryStatus status = status(RecoveryPhase.VERIFYING, null, 1);
    RecoverySnapshot optedOut = snapshot(job().optIn(NO), status, gang(ME + "-1"), List.of(), 1);
    RecoverySnapshot optedIn = snapshot(job(), status, gang(ME + "-1"), List.of(), 1);
    Instant stable = T0.plus(Policy.DEFAULT.readyStable());

    assertThat(RecoveryMachine.decide(optedOut, Policy.DEFAULT, stable.minusSeconds(1)))
        .isInstanceOf(Decision.Wait.class);
    assertThat(entered(RecoveryMachine.decide(optedOut, Policy.DEFAULT, stable)))
        .isEqualTo(RecoveryPhase.RECOVERED);
    assertThat(RecoveryMachine.decide(optedIn, Policy.DEFAULT, stable))
        .isInstanceOf(Decision.Wait.class);
  }
}
