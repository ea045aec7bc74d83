package dev.rekindle.controller.recovery;

import static dev.rekindle.controller.Given.job;
import static dev.rekindle.controller.recovery.InPlaceScene.ME;
import static dev.rekindle.controller.recovery.InPlaceScene.NOW;

import dev.rekindle.api.PinnedCheckpoint;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RollBack;
import dev.rekindle.controller.model.Inspection;
import dev.rekindle.controller.model.Policy;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A drained gang, and what its inspector says. */
abstract class UnknownCheckpointsFixture {
  static final Inspection REFUSED =
      new Inspection.Unable("the inspector was refused: 403: exceeded quota: jobs");
  static final RollBack BACK = new RollBack(74, 185, NOW.minusSeconds(600));
  static final Policy POLICY = Policy.DEFAULT;

  static RecoverySnapshot planning(Inspection inspection) {
    return new InPlaceScene()
        .rebuilt()
        .job(job().suspended(ME, true))
        .pods(List.of())
        .phase(RecoveryPhase.PLANNING, NOW.minus(POLICY.inspect()).minusSeconds(1))
        .snapshot()
        .withInspection(inspection);
  }

  static RecoverySnapshot back(Inspection inspection) {
    return planning(inspection).withRollBacks(List.of(BACK));
  }

  static Decision decide(RecoverySnapshot s, Instant now) {
    return RecoveryMachine.decide(s, POLICY, now);
  }

  static RecoveryStatus next(RecoverySnapshot s) {
    return ((Decision.Move) decide(s, NOW)).next();
  }

  static @Nullable PinnedCheckpoint pin(RecoverySnapshot s) {
    return Objects.requireNonNull(next(s).plan()).checkpoint();
  }

  static Inspection.Report scan(long... steps) {
    return new Inspection.Report(
        9, Arrays.stream(steps).mapToObj(step -> checkpoint(step, "Valid")).toList(), "");
  }

  static Inspection.Checkpoint checkpoint(long step, String verdict) {
    return new Inspection.Checkpoint(
        "/ckpt/" + step, step, 9, NOW.minusSeconds(900 - step), verdict, "L3", "");
  }

  static RecoverySnapshot held(Inspection inspection) {
    return back(inspection).with(next(back(REFUSED)));
  }
}
