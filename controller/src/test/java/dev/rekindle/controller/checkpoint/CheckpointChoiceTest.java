package dev.rekindle.controller.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import dev.rekindle.api.CheckpointVerdict;
import dev.rekindle.api.PinnedCheckpoint;
import dev.rekindle.api.RollBack;
import dev.rekindle.controller.model.Inspection.Checkpoint;
import dev.rekindle.controller.model.Inspection.Report;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class CheckpointChoiceTest {
  static Stream<Arguments> reports() {
    return Stream.of(
        argumentSet("newest is valid", List.of(valid(30), valid(20)), CheckpointVerdict.VALID, 30L),
        argumentSet(
            "newest is torn",
            List.of(torn(30), valid(20), valid(10)),
            CheckpointVerdict.VALID,
            20L),
        argumentSet(
            "order does not matter",
            List.of(valid(10), valid(30), valid(20)),
            CheckpointVerdict.VALID,
            30L),
        argumentSet("all are torn", List.of(torn(30), torn(20)), CheckpointVerdict.NONE, null),
        argumentSet("there is none", List.of(), CheckpointVerdict.NONE, null));
  }

  @ParameterizedTest
  @MethodSource("reports")
  void shouldTakeTheNewestValidOne(
      List<Checkpoint> found, CheckpointVerdict verdict, @Nullable Long step) {
    PinnedCheckpoint pin = CheckpointChoice.from(new Report(7, found, ""));

    assertThat(pin.verdict()).isEqualTo(verdict);
    assertThat(pin.step()).isEqualTo(step);
    assertThat(pin.path().isEmpty()).isEqualTo(step == null);
  }

  @Test
  void shouldSayWhichNewerOnesWerePassedOverAndWhy() {
    PinnedCheckpoint pin =
        CheckpointChoice.from(new Report(7, List.of(torn(40), torn(30), valid(20)), ""));

    assertThat(pin.message()).contains("step 40 torn (no end record)", "step 30 torn");
  }

  @Test
  void shouldDistinguishUnknownFromNone() {
    assertThat(CheckpointChoice.from(new Report(7, List.of(), "permission denied")).verdict())
        .isEqualTo(CheckpointVerdict.UNKNOWN);
  }

  @Test
  void shouldNotTakeUnreadableForTorn() {
    Checkpoint unreadable =
        new Checkpoint("/ckpt/step-9.pt", 9, 10, null, "unreadable", "", "no permission");

    assertThat(CheckpointChoice.from(new Report(7, List.of(unreadable), "")).verdict())
        .isEqualTo(CheckpointVerdict.UNKNOWN);
  }

  @Test
  void shouldGoBackToTheNewestValidOneBeforeTheStepRequested() {
    Report report =
        new Report(7, List.of(at(50, 5), at(40, 4), torn(35), at(30, 3), at(20, 2)), "");

    PinnedCheckpoint pin = CheckpointChoice.from(report, 40L, List.of());

    assertThat(pin.step()).isEqualTo(30);
    assertThat(pin.rollBack()).isEqualTo(new RollBack(30, 50, T.plusSeconds(5)));
    assertThat(pin.message())
        .contains("before step 40, as was asked for", "step 50 valid (given up)", "step 35 torn");
  }

  @Test
  void shouldNotCallItARollBackWhereTheNewestIsOldEnough() {
    PinnedCheckpoint pin =
        CheckpointChoice.from(new Report(7, List.of(at(30, 3), at(20, 2)), ""), 31L, List.of());

    assertThat(pin.step()).isEqualTo(30);
    assertThat(pin.rollBack()).isNull();
  }

  @Test
  void shouldTakeTheNewestAndSayWhyWhereNoneIsOldEnough() {
    PinnedCheckpoint pin =
        CheckpointChoice.from(new Report(7, List.of(at(30, 3), at(20, 2)), ""), 20L, List.of());

    assertThat(pin.step()).isEqualTo(30);
    assertThat(pin.rollBack()).isNull();
    assertThat(pin.message()).contains("no valid one before step 20 is left");
  }

  @Test
  void shouldNeverReturnToACourseThatWasGivenUp() {
    RollBack back = new RollBack(20, 50, T.plusSeconds(5));
    // Step 40 was made again since; 30 and 50 were not.
    Report report = new Report(9, List.of(at(50, 5), at(40, 8), at(30, 3), at(20, 2)), "");

    assertThat(CheckpointChoice.from(report, null, List.of(back)).step()).isEqualTo(40);
    Report earlier = new Report(9, List.of(at(50, 5), at(30, 3), at(20, 2)), "");
    PinnedCheckpoint pin = CheckpointChoice.from(earlier, null, List.of(back));
    assertThat(pin.step()).isEqualTo(20);
    assertThat(CheckpointChoice.passesOver(earlier, pin)).isTrue();
    Report nothingElse = new Report(9, List.of(at(50, 5)), "");
    assertThat(CheckpointChoice.from(nothingElse, null, List.of(back)).message())
        .contains("of a course that was given up");
  }

  private static final Instant T = Instant.parse("2026-11-21T06:00:00Z");

  private static Checkpoint at(long step, int second) {
    return new Checkpoint(
        "/ckpt/step-" + step + ".pt", step, 10, T.plusSeconds(second), "valid", "L3", "");
  }

  private static Checkpoint valid(long step) {
    return new Checkpoint("/ckpt/step-" + step + ".pt", step, 10, null, "valid", "L3", "");
  }

  private static Checkpoint torn(long step) {
    return new Checkpoint(
        "/ckpt/step-" + step + ".pt", step, 10, null, "torn", "L3", "no end record");
  }
}
