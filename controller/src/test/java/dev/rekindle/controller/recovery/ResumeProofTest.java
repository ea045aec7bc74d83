package dev.rekindle.controller.recovery;

import static dev.rekindle.controller.Given.T0;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.LoadErrorKind;
import dev.rekindle.api.RankReportStatus.LoadError;
import dev.rekindle.api.RankReportStatus.Loss;
import dev.rekindle.api.ResumeResult;
import dev.rekindle.controller.Given;
import dev.rekindle.controller.model.RankView;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ResumeProofTest {
  private static final Loss WAS = new Loss(2.0, 0);

  private static List<RankView> ranks(@Nullable Long first, @Nullable Loss loss) {
    return Given.gang("a").stream()
        .map(p -> Given.rank(p, first, T0, T0).withFirstStep(first).withLoss(loss))
        .toList();
  }

  private static Optional<ResumeResult> judge(
      ResumeProof.Pin pin, @Nullable Long first, @Nullable Loss before, @Nullable Loss loss) {
    return judge(pin, first, before, false, loss);
  }

  private static Optional<ResumeResult> judge(
      ResumeProof.Pin pin,
      @Nullable Long first,
      @Nullable Loss before,
      boolean unheard,
      @Nullable Loss loss) {
    return ResumeProof.of(pin, ranks(first, loss), before, unheard, List.of())
        .map(ResumeProof::result);
  }

  @ParameterizedTest(name = "pin {0}, oldest {1}, every {2}: first step {3} is {4}")
  @CsvSource({
    "100, 60, 20, 101, PROVEN",
    "100, 60, 20, 100, PROVEN",
    "100, 60, 20, 120, PROVEN",
    "100, 60, 20, 121, AHEAD",
    "100, 60,   , 500, PROVEN",
    "100, 60, 20,  99, BEHIND",
    "100, 60, 20,  61, BEHIND",
    "100, 60, 20,  60, FROM_ZERO",
    "100, 60, 20,   1, FROM_ZERO",
    "100,   ,   ,  99, FROM_ZERO",
    "100,   ,   , 101, PROVEN",
    "   ,   ,   ,   1, UNKNOWN",
  })
  void shouldJudgeTheFirstStepByThePinnedOne(
      @Nullable Long step,
      @Nullable Long oldest,
      @Nullable Long interval,
      long first,
      ResumeResult result) {
    assertThat(judge(new ResumeProof.Pin(step, oldest, interval), first, null, null))
        .contains(result);
  }

  @ParameterizedTest(name = "loss {0} (NaN {1} times) before, {2} (NaN {3} times) after: {4}")
  @CsvSource({
    "2.0, 0, 2.1, 0, PROVEN",
    "2.0, 0, 4.0, 0, PROVEN",
    "2.0, 0, 4.1, 0, LOSS_FAR",
    "-1.0, 0, 4.1, 0, PROVEN",
    "2.0, 0, , 3, LOSS_NOT_FINITE",
    "2.0, 0, , 2, ",
    "2.0, 0, 2.0, 3, PROVEN",
    "2.0, 4, , 3, PROVEN",
  })
  void shouldJudgeTheLossByWhatItWas(
      @Nullable Double before,
      int notFiniteBefore,
      @Nullable Double after,
      int notFinite,
      @Nullable ResumeResult result) {
    var pin = new ResumeProof.Pin(100L, 60L, 20L);
    assertThat(judge(pin, 101L, new Loss(before, notFiniteBefore), new Loss(after, notFinite)))
        .isEqualTo(Optional.ofNullable(result));
  }

  /** Only a loss that was NaN before the failure excuses the checkpoint. */
  @ParameterizedTest(name = "loss {0} (NaN {1} times) after, not known before: {2}")
  @CsvSource({
    ", 3, LOSS_NOT_FINITE",
    ", 2, ",
    "2.0, 0, PROVEN",
    "2.0, 3, PROVEN",
  })
  void shouldTakeALossThatWasNotKnownForANumber(
      @Nullable Double after, int notFinite, @Nullable ResumeResult result) {
    var pin = new ResumeProof.Pin(100L, 60L, 20L);
    assertThat(judge(pin, 101L, null, new Loss(after, notFinite)))
        .isEqualTo(Optional.ofNullable(result));
  }

  @Test
  void shouldSayNothingWhileNoStepIsSeen() {
    assertThat(judge(new ResumeProof.Pin(100L, 60L, 20L), null, WAS, null)).isEmpty();
  }

  @Test
  void shouldNameTheLineByWhichItCannotBeLoaded() {
    var line = new LoadError(LoadErrorKind.PICKLE, "EOFError: Ran out of input", 0, T0);
    var proof =
        ResumeProof.of(
            new ResumeProof.Pin(100L, 60L, 20L), ranks(null, null), WAS, false, List.of(line));
    assertThat(proof)
        .hasValueSatisfying(
            p -> {
              assertThat(p.result()).isEqualTo(ResumeResult.LOAD_ERROR);
              assertThat(p.detail())
                  .isEqualTo(
                      "the checkpoint of step 100 cannot be loaded (Pickle): EOFError: Ran out of"
                          + " input");
            });
  }

  /** Where one rank prints NaN all the time, the loss is known once the others are heard. */
  @Test
  void shouldNotBlameTheCheckpointWhileARankIsNotHeardThatMayPrintANumber() {
    var pin = new ResumeProof.Pin(100L, 60L, 20L);
    var nan = new Loss(null, Loss.SURE);
    assertThat(judge(pin, 101L, WAS, false, nan)).contains(ResumeResult.LOSS_NOT_FINITE);
    assertThat(judge(pin, 101L, WAS, true, nan)).contains(ResumeResult.PROVEN);
  }
}
