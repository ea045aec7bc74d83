package dev.rekindle.controller.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RecoveryStatus.Cause;
import dev.rekindle.api.ResumeAttempt;
import dev.rekindle.api.ResumeResult;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What follows from cycles on one checkpoint. */
class CrashLoopTest extends CrashLoopFixture {
  @Test
  void shouldAvoidTheNodeThatFailedFirstAfterOneCycle() {
    CrashLoop loop =
        CrashLoop.of(List.of(trained(FIRST, 100), open(cause("PodFailed", 110L, "node-1"))));
    assertThat(loop.nodes()).containsExactly("node-1");
    assertThat(loop.spent()).isEmpty();
    assertThat(loop.bars(pin(100))).isEmpty();
    assertThat(loop.describe()).contains("failed once from the checkpoint of step 100");
  }

  @Test
  void shouldGoBackOneCheckpointAfterTwoCyclesAndStopAfterTwoCheckpoints() {
    List<RecoveryStatus> story = new ArrayList<>(List.of(trained(FIRST, 100)));
    story.add(trained(cause("PodFailed", 110L, "node-1"), 100));
    CrashLoop twice = CrashLoop.of(plus(story, open(cause("ContainerEnded", 111L, "node-2"))));
    assertThat(twice.spent()).containsExactly(100L);
    assertThat(twice.bars(pin(100))).hasValueSatisfying(w -> assertThat(w).contains("2 times"));
    assertThat(twice.bars(pin(80))).isEmpty();
    assertThat(twice.goesBackTo(pin(80))).isTrue();
    assertThat(twice.bars(pin(120))).as("saved since").isEmpty();
    story.add(trained(cause("ContainerEnded", 111L, "node-2"), 80));
    story.add(trained(cause("PodFailed", 111L, "node-1"), 80));
    CrashLoop four = CrashLoop.of(plus(story, open(cause("PodFailed", 111L, "node-1"))));
    assertThat(four.isHopeless()).isTrue();
    assertThat(four.bars(pin(60)))
        .hasValueSatisfying(w -> assertThat(w).contains("the cause is another"));
    assertThat(four.bars(pin(140))).as("saved since").isEmpty();
  }

  @ParameterizedTest
  @EnumSource(
      value = ResumeResult.class,
      names = {"LOAD_ERROR", "LOSS_NOT_FINITE"})
  void shouldGiveACheckpointUpAtOnceThatShowsByItselfThatItIsNoGood(ResumeResult result) {
    CrashLoop loop = CrashLoop.of(List.of(open(FIRST, attempt(100, result))));
    assertThat(loop.spent()).containsExactly(100L);
    assertThat(loop.nodes()).as("no node is blamed").isEmpty();
  }

  @Test
  void shouldGiveUpWhatWasSavedAfterALossOfNaNUntilTrainedFromAnOlderOne() {
    List<RecoveryStatus> story = new ArrayList<>();
    story.add(open(FIRST, attempt(100, ResumeResult.LOSS_NOT_FINITE)));
    assertThat(CrashLoop.of(story).isSpent(120)).as("saved with NaN").isTrue();
    assertThat(CrashLoop.of(story).isSpent(80)).isFalse();
    story.add(trained(FIRST, 80));
    CrashLoop since = CrashLoop.of(plus(story, open(cause("XID-79", 110L, "node-1"))));
    assertThat(since.isSpent(100)).as("of the new course").isFalse();
    assertThat(since.isHopeless()).isFalse();
    story.add(open(cause("XID-79", 110L, "node-1"), attempt(80, ResumeResult.LOAD_ERROR)));
    assertThat(CrashLoop.of(story).isHopeless()).as("a second one").isTrue();
  }

  /** Whatever happens, a checkpoint is tried twice without a new step and then no more. */
  @RepeatedTest(50)
  void shouldNeverTryACheckpointMoreThanTwiceWithoutANewStep(RepetitionInfo repetition) {
    Random random = new Random(repetition.getCurrentRepetition());
    List<RecoveryStatus> story = new ArrayList<>();
    Map<Long, Integer> tries = new HashMap<>();
    Cause cause = FIRST;
    long furthest = 130;
    for (int i = 0; i < 60; i++) {
      CrashLoop loop = CrashLoop.of(plus(story, open(cause)));
      long step = 100;
      while (step > 0 && loop.isSpent(step)) {
        step -= 20;
      }
      if (step == 0 || loop.bars(pin(step)).isPresent()) {
        assertThat(loop.isHopeless()).isTrue();
        assertThat(tries.values()).hasSizeGreaterThanOrEqualTo(2);
        return;
      }
      assertThat(tries.merge(step, 1, Integer::sum)).as("tries of %d", step).isLessThan(3);
      if (random.nextInt(3) == 0) {
        ResumeResult[] results = {ResumeResult.CRASHED, ResumeResult.FROM_ZERO};
        story.add(open(cause, attempt(step, results[random.nextInt(2)])));
        cause = cause("PodFailed", null, "node-1");
        continue;
      }
      story.add(trained(cause, step));
      boolean progress = random.nextInt(4) == 0;
      if (progress) {
        furthest++;
        tries.clear();
      }
      cause = cause("PodFailed", progress ? furthest : furthest - 1, "node-1");
    }
  }

  private static List<RecoveryStatus> plus(List<RecoveryStatus> story, RecoveryStatus last) {
    List<RecoveryStatus> all = new ArrayList<>(story);
    all.add(last);
    return all;
  }

  private static ResumeAttempt unpinned(ResumeResult result) {
    return new ResumeAttempt(1, null, null, null, result, result.word(), "");
  }

  @Test
  void shouldLetAScriptChooseByItselfTwiceAtMost() {
    ResumeAttempt failed = unpinned(ResumeResult.LOAD_ERROR);
    assertThat(CrashLoop.of(List.of(open(FIRST, failed))).barsOwnChoice()).isEmpty();
    List<RecoveryStatus> two = List.of(open(FIRST, failed), open(FIRST, failed));
    assertThat(CrashLoop.of(two).barsOwnChoice()).isPresent();
    assertThat(CrashLoop.of(plus(two, trained(FIRST, 80))).barsOwnChoice())
        .as("a gang has trained since")
        .isEmpty();
    assertThat(CrashLoop.of(plus(two, open(cause("PodFailed", 131L, "")))).barsOwnChoice())
        .as("a new step since")
        .isEmpty();
    ResumeAttempt crashed = unpinned(ResumeResult.CRASHED);
    assertThat(CrashLoop.of(List.of(open(FIRST, crashed, crashed))).barsOwnChoice())
        .as("of a crash it is not known that a checkpoint was loaded")
        .isEmpty();
  }

  /** Seed 94829523: what trains on after the recovery has failed still has a loss of NaN. */
  @Test
  void shouldNotTakeStepsOfAGangWithALossOfNaNForProgressWhereItsLossIsNotKnown() {
    ResumeAttempt failed = unpinned(ResumeResult.LOSS_NOT_FINITE);
    RecoveryStatus given = open(FIRST, failed, failed);
    RecoveryStatus next = open(cause("ContainerEnded", 131L, ""));

    assertThat(
            CrashLoop.of(List.of(given.with(b -> b.phase(RecoveryPhase.FAILED)), next))
                .barsOwnChoice())
        .isPresent();
    assertThat(CrashLoop.of(List.of(given, next)).barsOwnChoice())
        .as("another gang was started since")
        .isEmpty();
  }

  @ParameterizedTest
  @EnumSource(
      value = ResumeResult.class,
      names = {"CRASHED", "NO_NEW_STEP"})
  void shouldLetAScriptChooseByItselfFourTimesAtMostWhateverItsGangsShow(ResumeResult result) {
    RecoveryStatus failed = open(FIRST, unpinned(result));
    List<RecoveryStatus> four = List.of(failed, failed, failed, failed);
    assertThat(CrashLoop.of(four.subList(0, 3)).barsOwnChoice()).isEmpty();
    assertThat(CrashLoop.of(four).barsOwnChoice())
        .hasValueSatisfying(why -> assertThat(why).contains("4 times"));
    assertThat(CrashLoop.of(plus(four, open(cause("PodFailed", 131L, "")))).barsOwnChoice())
        .as("a new step since")
        .isEmpty();
  }

  @Test
  void shouldNotCountStartsThatANodeHasEnded() {
    RecoveryStatus ended = open(FIRST, unpinned(ResumeResult.INTERRUPTED));
    assertThat(CrashLoop.of(List.of(ended, ended, ended, ended, ended)).barsOwnChoice()).isEmpty();
  }
}
