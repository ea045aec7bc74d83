package dev.rekindle.controller.recovery;

import static dev.rekindle.controller.Given.T0;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.CauseReason;
import dev.rekindle.api.RankReportStatus.Loss;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RecoveryStatus.Cause;
import dev.rekindle.api.ResumeAttempt;
import dev.rekindle.api.ResumeResult;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which failures count as a cycle. */
class CrashLoopCountTest extends CrashLoopFixture {
  /** A node fails while the gang trains on with a loss of NaN (seed 75095237). */
  @Test
  void shouldTakeStepsWithALossOfNaNForNoProgressWhateverEndsThem() {
    Cause ofNode = cause("XID-79", 900L, "node-1").withLoss(new Loss(null, 5));
    CrashLoop loop =
        CrashLoop.of(List.of(open(FIRST, attempt(100, ResumeResult.LOAD_ERROR)), open(ofNode)));
    assertThat(loop.spent()).containsExactly(100L);
  }

  /** The kubelets started a gang that could not load what its script took, and so it came to us. */
  @Test
  void shouldCountTheStartThatLedToTheRecovery() {
    Cause notLoaded = cause(CauseReason.CHECKPOINT_NOT_LOADED.word(), 130L, "node-1");
    RecoveryStatus begun = RecoveryStatusBuilder.begin(notLoaded, List.of(), T0);
    assertThat(begun.resumes())
        .singleElement()
        .satisfies(
            before -> {
              assertThat(before.attempt()).isZero();
              assertThat(before.step()).isNull();
              assertThat(before.result()).isEqualTo(ResumeResult.LOAD_ERROR);
            });
    assertThat(CrashLoop.of(List.of(begun)).unpinned()).hasSize(1);
    assertThat(RecoveryStatusBuilder.begin(FIRST, List.of(), T0).resumes()).isEmpty();
  }

  @Test
  void shouldNotCountAFailureBeforeWhichNoReportNamesAStep() {
    CrashLoop loop =
        CrashLoop.of(List.of(trained(FIRST, 100), open(cause("PodFailed", null, "node-1"))));
    assertThat(loop.cycles()).as("it may have made a new step").isEmpty();
  }

  /** No report names how far the job had come (seed 76089466). */
  @Test
  void shouldTakeStepsUpToThePinnedCheckpointForNoProgress() {
    ResumeAttempt first =
        new ResumeAttempt(1, 88L, 1L, 18L, ResumeResult.FROM_ZERO, "from zero", "node-2");
    ResumeAttempt second =
        new ResumeAttempt(2, 88L, 1L, 19L, ResumeResult.FROM_ZERO, "from zero", "node-2");
    CrashLoop loop = CrashLoop.of(List.of(open(cause("XID-64", null, "node-0"), first, second)));
    assertThat(loop.spent()).containsExactly(88L);
    ResumeAttempt further =
        new ResumeAttempt(2, 88L, 1L, 89L, ResumeResult.FROM_ZERO, "from zero", "node-2");
    assertThat(
            CrashLoop.of(List.of(open(cause("XID-64", null, "node-0"), first, further))).cycles())
        .as("a step that the job had not made")
        .hasSize(1);
  }

  @Test
  void shouldStartOverAfterAStepThatWasNeverMadeBefore() {
    CrashLoop loop =
        CrashLoop.of(
            List.of(
                trained(FIRST, 100),
                trained(cause("PodFailed", 110L, "node-1"), 100),
                open(cause("PodFailed", 131L, "node-1"))));
    assertThat(loop.cycles()).isEmpty();
  }

  @Test
  void shouldTakeStepsWithALossOfNaNForNoProgress() {
    CrashLoop loop =
        CrashLoop.of(
            List.of(trained(FIRST, 100), open(cause(Cause.LOSS_NOT_FINITE, 900L, "node-1"))));
    assertThat(loop.spent()).containsExactly(100L);
    assertThat(loop.nodes()).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(
      value = ResumeResult.class,
      names = {"INTERRUPTED", "UNKNOWN", "AHEAD", "BEHIND", "LOSS_FAR", "PROVEN"})
  void shouldNotCountAnAttemptThatSaysNothingOfTheCheckpoint(ResumeResult result) {
    assertThat(CrashLoop.of(List.of(open(FIRST, attempt(100, result)))).cycles()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"XID-79", "NodeSilent", "Stalled", "Orphaned", "RerunAsked", "Unplaced"})
  void shouldNotCountWhatTheCheckpointHasNothingToDoWith(String reason) {
    CrashLoop loop =
        CrashLoop.of(List.of(trained(FIRST, 100), open(cause(reason, 110L, "node-1"))));
    assertThat(loop.cycles()).isEmpty();
  }

  @Test
  void shouldNotCountWhatANodeExplains() {
    Cause faulty = cause("PodFailed", 110L, "node-1").withFaultyNodes(List.of("node-1"));
    assertThat(CrashLoop.of(List.of(trained(FIRST, 100), open(faulty))).cycles()).isEmpty();
  }

  @Test
  void shouldNotCountAJobWhoseStepsAreNotSeen() {
    Cause unseen = cause("PodFailed", null, "node-1");
    RecoveryStatus blind = trained(unseen, 100).withOutcome(null);
    assertThat(CrashLoop.of(List.of(blind, blind, open(unseen))).cycles()).isEmpty();
  }
}
