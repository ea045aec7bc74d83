package dev.rekindle.detect.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class StepNameTest {
  @ParameterizedTest
  @CsvSource({
    "step-00000050.pt,50",
    "checkpoint_50.pt,50",
    "epoch_3_step_50.pt,50",
    "step_50_epoch_3.pt,50",
    "epoch=3-step=50.ckpt,50",
    "epoch=3-step=50-v1.ckpt,50",
    "iter_0000050_rank0.pt,50",
    "iteration50.pth,50",
    "model-7.PT,7",
    "7.tar,7",
    "model_v2_50.bin,50",
    "step-0.pt,0",
    "step-999999999999999999.pt,999999999999999999",
    "run-1234567890123456789012-step-5.pt,5",
  })
  void shouldFindStepWhenNameHoldsOne(String name, long step) {
    assertThat(StepName.of(name)).hasValue(step);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "last.pt",
        ".step-50.pt",
        "step-50.pt.tmp",
        "step-50.tmp",
        "step-50",
        "train-50.log",
        "",
        "step-50.pt.part",
        "step-99999999999999999999.pt",
        ".pt",
        "step-50.pt~"
      })
  void shouldFindNothingWhenNameIsNoCheckpointOrHasNoStep(String name) {
    assertThat(StepName.of(name)).isEmpty();
  }
}
