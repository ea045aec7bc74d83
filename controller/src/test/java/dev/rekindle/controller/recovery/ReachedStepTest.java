package dev.rekindle.controller.recovery;

import static dev.rekindle.controller.Given.gang;
import static dev.rekindle.controller.Given.job;
import static dev.rekindle.controller.recovery.InPlaceScene.NOW;
import static dev.rekindle.controller.recovery.RecoverySnapshots.snapshot;
import static dev.rekindle.controller.recovery.RecoverySnapshots.status;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.FormerRun;
import dev.rekindle.api.RankReportStatus.Loss;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RecoveryStatus.Cause;
import dev.rekindle.controller.Given;
import dev.rekindle.controller.model.JobView.Mode;
import dev.rekindle.controller.model.JobView.OptIn;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.model.RankView;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The step that a gang had reached when it was stopped, whichever process saw it. */
class ReachedStepTest {
  /** The cause says step 42, and the way is not chosen yet. */
  private static RecoveryStatus open(RecoveryPhase phase) {
    RecoveryStatus status = status(phase, null, 1);
    return status.withPlan(Objects.requireNonNull(status.plan()).withRestart(null));
  }

  private static RecoverySnapshot seen(RecoveryPhase phase, @Nullable Long reached) {
    return seen(job(), open(phase), reached);
  }

  private static RecoverySnapshot seen(
      Given.Job job, RecoveryStatus status, @Nullable Long reached) {
    return snapshot(job, status, gang(""), List.of(), 0).with(b -> b.reached(reached));
  }

  private static RecoveryStatus next(RecoverySnapshot s) {
    Decision decision = RecoveryMachine.decide(s, Policy.DEFAULT, NOW);
    assertThat(decision).isInstanceOf(Decision.Move.class);
    return ((Decision.Move) decision).next();
  }

  private static @Nullable Long lastStep(RecoverySnapshot s) {
    return Objects.requireNonNull(next(s).cause()).lastStep();
  }

  /** The process that saw it may die before the next write, and the reports go with the pods. */
  @ParameterizedTest
  @EnumSource(
      value = RecoveryPhase.class,
      names = {"DETECTED", "DRAINING"})
  void shouldWriteTheStepDownWithWhatIsWrittenAnyway(RecoveryPhase phase) {
    assertThat(lastStep(seen(phase, 60L))).isEqualTo(60);
    assertThat(lastStep(seen(phase, 41L))).as("never lower").isEqualTo(42);
    assertThat(lastStep(seen(phase, null))).isEqualTo(42);
  }

  /** A gang that waits for a person trains on for hours. */
  @Test
  void shouldWriteItDownAsAHoldBeginsAndEnds() {
    Given.Job asks = job().optIn(new OptIn.Yes(Mode.APPROVE));
    RecoveryStatus detected = status(RecoveryPhase.DETECTED, null, 1);
    RecoveryStatus held = next(seen(asks, detected, 60L));
    assertThat(held.phase()).isEqualTo(RecoveryPhase.HELD);
    assertThat(Objects.requireNonNull(held.cause()).lastStep()).isEqualTo(60);

    assertThat(lastStep(seen(job(), held, 7_000L))).isEqualTo(7_000);
  }

  @Test
  void shouldWriteItDownWhereNothingWasKnownBefore() {
    RecoveryStatus unknown = open(RecoveryPhase.DRAINING);
    Cause cause = Objects.requireNonNull(unknown.cause());

    assertThat(lastStep(seen(job(), unknown.withCause(cause.withLastStep(null)), 7L))).isEqualTo(7);
  }

  /** It trains on: nothing of that is lost. */
  @Test
  void shouldSayNothingOfItWhereTheRecoveryEnds() {
    RecoverySnapshot over =
        seen(job().optIn(new OptIn.No()), status(RecoveryPhase.DRAINING, null, 1), 60L);

    assertThat(next(over).phase()).isEqualTo(RecoveryPhase.CANCELLED);
    assertThat(lastStep(over)).isEqualTo(42);
  }

  /**
   * Seed 95315985: a recovery was opened before the first step, and held while the gang trained.
   */
  @Test
  void shouldWriteDownThatRanksDifferAboutTheLoss() {
    RecoveryStatus opened = open(RecoveryPhase.DRAINING);
    Cause early =
        Objects.requireNonNull(opened.cause()).withBefore(new FormerRun(Given.T0, null, null));
    RecoverySnapshot s = seen(job(), opened.withCause(early), 60L);
    RankView number = Given.rank(gang("").get(1), 55L, NOW, NOW).withLoss(new Loss(2.0, 0));
    RankView none =
        Given.rank(gang("").get(0), 60L, NOW, NOW)
            .with(b -> b.firstStep(1L).firstStepTime(Given.T0).loss(new Loss(null, 60)));

    assertThat(differ(s.withRanks(List.of(none, number)))).isTrue();
    assertThat(differ(s.withRanks(List.of(number)))).isNull();
  }

  private static @Nullable Boolean differ(RecoverySnapshot s) {
    Cause cause = Objects.requireNonNull(next(s).cause());
    return Objects.requireNonNull(cause.before()).lossesDiffer();
  }

  /** A status is written for what has changed, not for each step. */
  @Test
  void shouldNotWriteForTheSakeOfAStep() {
    RecoverySnapshot s = seen(job(), status(RecoveryPhase.DRAINING, null, 1), null);

    assertThat(RecoveryMachine.decide(s.with(b -> b.reached(60L)), Policy.DEFAULT, NOW))
        .isEqualTo(RecoveryMachine.decide(s, Policy.DEFAULT, NOW))
        .isInstanceOf(Decision.Act.class);
  }
}
