package dev.rekindle.controller.recovery;

import static dev.rekindle.controller.Given.T0;
import static dev.rekindle.controller.Given.job;
import static dev.rekindle.controller.recovery.RecoverySnapshots.snapshot;
import static dev.rekindle.controller.recovery.RecoverySnapshots.status;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.CheckpointVerdict;
import dev.rekindle.api.PinnedCheckpoint;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.TrackerChange;
import dev.rekindle.api.TrackerResult;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.model.Reason;
import dev.rekindle.controller.model.TrackerOrder;
import dev.rekindle.controller.model.TrackerView;
import dev.rekindle.controller.port.ClusterGateway.RefusedException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TrackingTest {
  private static final String PATH = "/ckpt/global_step200";
  private static final TrackerChange REWRITTEN =
      new TrackerChange(
          TrackerResult.REWRITTEN,
          "latest",
          "global_step300",
          "global_step200",
          "latest.rekindle-before-x",
          "");

  private static RecoverySnapshot resuming(String format, String path, boolean wanted) {
    PinnedCheckpoint pin =
        new PinnedCheckpoint(CheckpointVerdict.VALID, path, 200L, "L3", "", null, format);
    RecoveryStatus status = status(RecoveryPhase.RESUMING, null, 1);
    status = status.withPlan(Objects.requireNonNull(status.plan()).withCheckpoint(pin));
    RecoverySnapshot s =
        snapshot(job().suspended(InPlaceScene.ME, true), status, List.of(), List.of(), 0);
    return s.withJob(Objects.requireNonNull(s.job()).withRewritesTracker(wanted));
  }

  private static RecoverySnapshot resuming() {
    return resuming("deepspeed", PATH, true);
  }

  private static Decision decide(RecoverySnapshot s, long seconds) {
    return RecoveryMachine.decide(s, Policy.DEFAULT, T0.plusSeconds(seconds));
  }

  private static boolean resumes(Decision decision) {
    return decision instanceof Decision.Act act
        && act.effects().stream().anyMatch(Effect.Resume.class::isInstance);
  }

  private static TrackerChange kept(Decision decision) {
    RecoveryStatus next = ((Decision.Move) decision).next();
    assertThat(next.phase()).isEqualTo(RecoveryPhase.RESUMING);
    return Objects.requireNonNull(Objects.requireNonNull(next.plan()).tracker());
  }

  @Test
  void shouldRequestItBeforeTheJobIsResumed() {
    TrackerOrder order =
        new TrackerOrder(
            resuming().recovery().name(),
            Transitions.attemptId(resuming()),
            PATH,
            "deepspeed",
            T0.plusSeconds(60));

    assertThat(decide(resuming(), 1))
        .isEqualTo(
            new Decision.Act(List.of(new Effect.StartTracker(order)), Duration.ofMillis(500)));
  }

  @ParameterizedTest
  @CsvSource({
    "deepspeed, /ckpt/global_step200, false",
    "torch-save, /ckpt/step-200.pt, true",
    "huggingface, /ckpt/checkpoint-200, true",
    "megatron, /ckpt/release, true",
    "'', /ckpt/iter_0000200, true",
  })
  void shouldNotAskWhereItIsNotWantedOrNothingFollowsATracker(
      String format, String path, boolean wanted) {
    assertThat(resumes(decide(resuming(format, path, wanted), 1))).isTrue();
  }

  @Test
  void shouldWaitForItWhileItIsPending() {
    RecoverySnapshot s = resuming().withTracker(new TrackerView.Pending("its image is pulled"));

    assertThat(decide(s, 1)).isInstanceOf(Decision.Wait.class);
    assertThat(decide(s, 74)).isInstanceOf(Decision.Wait.class);
  }

  @Test
  void shouldKeepWhatCameOfItThenResume() {
    RecoverySnapshot s = resuming().withTracker(new TrackerView.Ended(REWRITTEN));
    Decision.Move move = (Decision.Move) decide(s, 3);

    assertThat(kept(move)).isEqualTo(REWRITTEN);
    assertThat(move.notes())
        .containsExactly(
            new Decision.Note(
                Reason.TRACKER_REWRITTEN,
                "latest names global_step200 now; its old text, global_step300, is in"
                    + " latest.rekindle-before-x",
                ""));
    assertThat(resumes(decide(s.with(move.next()), 3))).as("asked for once").isTrue();
  }

  @Test
  void shouldSayNothingWhereItNamedTheCheckpointAlready() {
    TrackerChange same = new TrackerChange(TrackerResult.UNCHANGED, "latest", "a", "a", "", "");
    Decision decision = decide(resuming().withTracker(new TrackerView.Ended(same)), 3);

    assertThat(kept(decision)).isEqualTo(same);
    assertThat(((Decision.Move) decision).notes()).isEmpty();
  }

  /** A job that stays stopped for a file would be worse off than one that was never asked. */
  @Test
  void shouldResumeWithoutItWhereItCannotBeWritten() {
    TrackerChange refused = TrackerChange.refused("the volume is read-only");
    Decision decision = decide(resuming().withTracker(new TrackerView.Ended(refused)), 3);

    assertThat(kept(decision)).isEqualTo(refused);
    assertThat(((Decision.Move) decision).notes())
        .containsExactly(
            new Decision.Note(
                Reason.TRACKER_KEPT,
                "the tracker of the checkpoints is as it was: the volume is read-only",
                ""));
  }

  /** The pod writes nothing after 60 s by its own clock, which may be behind. */
  @Test
  void shouldResumeWithoutItOnceNoPodCanWriteItAnyMore() {
    RecoverySnapshot s = resuming().withTracker(new TrackerView.Pending("its pod is Pending"));

    assertThat(kept(decide(s, 75)).message())
        .isEqualTo("its pod has not ended in time: its pod is Pending");
  }

  @Test
  void shouldResumeWithoutItWhereTheApiServerRefusesIt() {
    Instant now = T0.plusSeconds(9);
    EffectFailure refusal = null;
    for (int i = 0; i < EffectFailure.REFUSALS; i++) {
      refusal =
          EffectFailure.of(
              CallKind.START_TRACKER, "job", new RefusedException(403, "quota"), refusal, now);
    }
    RecoverySnapshot s =
        resuming()
            .withFailures(
                new Failures(Map.of(CallKind.START_TRACKER, Objects.requireNonNull(refusal))));

    assertThat(kept(decide(s, 9)).message()).contains("403: quota");
  }

  @Test
  void shouldNeverAskWhileTheJobRuns() {
    RecoverySnapshot s = resuming();
    RecoverySnapshot running = s.withJob(Objects.requireNonNull(s.job()).withSuspended(false));

    assertThat(Tracking.wanted(running)).isEmpty();
  }
}
