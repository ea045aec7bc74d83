package dev.rekindle.controller.recovery;

import static dev.rekindle.controller.Given.gang;
import static dev.rekindle.controller.Given.job;
import static dev.rekindle.controller.recovery.Decisions.detail;
import static dev.rekindle.controller.recovery.Decisions.entered;
import static dev.rekindle.controller.recovery.InPlaceScene.ME;
import static dev.rekindle.controller.recovery.InPlaceScene.NOW;
import static dev.rekindle.controller.recovery.OptOutTest.NO;
import static dev.rekindle.controller.recovery.OptOutTest.OBSERVE;
import static dev.rekindle.controller.recovery.OptOutTest.UNUSABLE;
import static dev.rekindle.controller.recovery.RecoverySnapshots.XID_79;
import static dev.rekindle.controller.recovery.RecoverySnapshots.snapshot;
import static dev.rekindle.controller.recovery.RecoverySnapshots.status;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.controller.Given;
import dev.rekindle.controller.model.JobView.OptIn;
import dev.rekindle.controller.model.Policy;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Fences for a job that opts out. */
class OptOutFencingTest {

  @ParameterizedTest
  @EnumSource(
      value = RecoveryPhase.class,
      names = {"FENCING", "DRAINING"})
  void shouldFenceNothingForAJobThatOptedOutOnceItIsSuspended(RecoveryPhase phase) {
    for (OptIn optIn : List.of(NO, OBSERVE, UNUSABLE)) {
      RecoverySnapshot snapshot =
          snapshot(
              job().optIn(optIn).suspended(ME, true),
              status(phase, null, 1),
              gang(""),
              Given.nodes(),
              List.of(XID_79),
              List.of(),
              0);

      Decision decision = RecoveryMachine.decide(snapshot, Policy.DEFAULT, NOW);

      if (phase == RecoveryPhase.FENCING) {
        assertThat(entered(decision)).as("%s", optIn).isEqualTo(RecoveryPhase.DRAINING);
        assertThat(detail(decision)).contains("not fenced");
      } else {
        // Nor is it sent back to fence what it has passed over.
        assertThat(decision).as("%s", optIn).isInstanceOf(Decision.Act.class);
      }
    }
  }
}
