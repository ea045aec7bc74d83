package dev.rekindle.detect.progress;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.OptionalLong;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class StepPatternTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '#',
      value = {
        "step 12 loss 2.302585092994046#12",
        "step 00000012 loss nan#12",
        "step=12#12",
        "step: 12#12",
        "iteration 12/500#12",
        "' [2026-01-01 00:00:00] iteration       12/  500 | consumed samples: 96 |'#12",
        "' iteration       12/  500 |'#12",
        "global_step: 12#12",
        "Step 12/100#12",
        "[step 12]#12",
        "[step 12] loss 1.5#12",
        "INFO:root:Epoch 3, Step: 12, Loss: 0.5#12",
        "[rank0]: train_step=12, lr=1e-4#12",
        "{\"global_step\": 12, \"loss\": 1.5}#12",
        "{'step': 12}#12",
        "iter 12: loss 3.4, time 120ms#12",
        "done with step 12.#12",
        "step 12 loss 2.3, saved nothing#12",
      })
  void shouldFindStepByDefaultWhenTrainerIsACommonOne(String line, long step) {
    assertThat(StepPattern.byDefault().find(line)).hasValue(step);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "loss 2.3",
        "saved /ckpt/step-00000050.pt",
        "resumed from /ckpt/step-00000050.pt at step 50",
        "successfully saved checkpoint from iteration      50 to /ckpt",
        "saving checkpoint at iteration      50 to /ckpt in torch_dist format",
        "Continuing training from global step 50",
        "step time 12 ms",
        "step 12ms",
        "step 0.5 s",
        "max_step=500",
        "total steps: 500",
        "footstep 12",
        "misstep=3",
        "timestep_embedding 3",
        "step 1234567890123456789",
      })
  void shouldFindNothingByDefaultWhenLineIsNoProgress(String line) {
    assertThat(StepPattern.byDefault().find(line)).isEmpty();
  }

  @Test
  void shouldUseOwnExpressionWhenItIsGood() {
    var pattern = StepPattern.of("^batch (\\d+) of");
    assertThat(pattern.problem()).isEmpty();
    assertThat(pattern.find("batch 7 of 9")).hasValue(7);
    assertThat(pattern.find("step 7")).isEmpty();
    assertThat(StepPattern.of("saved at (.*)").find("saved at  8 ")).hasValue(8);
    assertThat(StepPattern.of("saved at (.*)").find("saved at noon"))
        .isEqualTo(OptionalLong.empty());
    assertThat(StepPattern.of("a(b)?").find("a")).isEqualTo(OptionalLong.empty());
    assertThat(StepPattern.of("n(\\d+)").find("n99999999999999999999")).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '#',
      value = {
        "step (\\d+#is no RE2 expression",
        "(?=step)(\\d+)#is no RE2 expression",
        "(a)\\1#is no RE2 expression",
        "step \\d+#has 0 groups; it needs exactly one",
        "(step) (\\d+)#has 2 groups; it needs exactly one",
      })
  void shouldSayWhyAndUseDefaultWhenExpressionIsUnusable(String expression, String why) {
    var pattern = StepPattern.of(expression);
    assertThat(pattern.problem())
        .startsWith("step pattern " + why)
        .endsWith("the default pattern is used");
    assertThat(pattern.find("step 12 loss 1")).hasValue(12);
  }

  @Test
  void shouldRefuseWhenExpressionIsTooLong() {
    assertThat(StepPattern.of("(" + "a".repeat(2_000) + ")").problem()).contains("longer than 256");
  }

  @Test
  void shouldReadLessInOnePollWhenExpressionIsABigOne() {
    assertThat(StepPattern.byDefault().charactersPerLook())
        .isEqualTo(StepPattern.of("(" + "a".repeat(300) + ")").charactersPerLook())
        .isEqualTo(Integer.MAX_VALUE);
    assertThat(StepPattern.of("step (\\d+)").charactersPerLook())
        .isGreaterThanOrEqualTo(1024 * 1024);
    assertThat(StepPattern.of("(" + "x?".repeat(100) + ")").charactersPerLook())
        .isLessThan(64 * 1024);
  }

  @Test
  void shouldEndInTimeWhenExpressionWouldBacktrack() {
    var pattern = StepPattern.of("^(?:(?:a+)+)+(\\d)$");
    var line = "a".repeat(LineJoiner.MAX_LINE) + "!";
    var found =
        Assertions.assertTimeoutPreemptively(Duration.ofMinutes(1), () -> pattern.find(line));
    assertThat(found).isEmpty();
  }
}
