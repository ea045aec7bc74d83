package dev.rekindle.detect.progress;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class LossTrackerTest {
  @ParameterizedTest
  @CsvSource(
      delimiterString = "=>",
      textBlock =
          """
          2.1 => "{'loss': 2.1, 'grad_norm': 0.5, 'epoch': 0.12}"
          2.1 => "{'loss': '2.1', 'epoch': '0.12'}"
          2.0 => "step 1 loss 2.0"
          8.25 => "[titan] step: 10  loss:  8.25  memory: 1.3GiB"
          0.5 => "step=7, train_loss=0.5, val_loss=0.7"
          10.5 => " iteration 3/ 10 | consumed samples: 6 | lm loss: 1.050000E+01 | loss scale: 1.0 |"
          3.0 => "Epoch 1, step 3/10 Loss: 3"
          NaN => "REKINDLE step 31 loss=nan"
          Infinity => "step 31 loss: -inf"
          NaN => "step 3 loss: tensor(nan, device='cuda:0')"
          """)
  void shouldReadTheTrainingLoss(double loss, String line) {
    assertThat(LossTracker.find(line)).hasValue(loss);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "step 3",
        "step 3 loss",
        "step 3 val_loss=0.3",
        "step 3 eval/loss: 0.3",
        "step 3 loss scale: 65536",
        "step 3 loss_fn: 3",
        "step 3 loss: nancy",
        "step 3 glossary 3"
      })
  void shouldNotReadAnotherNumber(String line) {
    assertThat(LossTracker.find(line)).isEmpty();
  }

  @Test
  void shouldCountLinesInARowThatNameNoNumber() {
    var tracker = new LossTracker();
    assertThat(tracker.loss()).isEmpty();
    tracker.take("step 1 loss nan");
    tracker.take("step 2 loss inf");
    tracker.take("step 2");
    assertThat(tracker.loss()).contains(loss(null, 2, null));
    tracker.take("step 3 loss 1.5");
    assertThat(tracker.loss()).contains(loss(1.5, 0, null));
    tracker.take("step 4 loss nan");
    assertThat(tracker.loss()).contains(loss(1.5, 1, null));
    tracker.run();
    assertThat(tracker.loss()).isEmpty();
  }

  @Test
  void shouldKnowWhatTheRunBeforeEndedWith() {
    var tracker = new LossTracker();
    tracker.take("step 1 loss 1.5");
    tracker.run();
    tracker.run();
    tracker.take("step 1 loss nan");
    assertThat(tracker.loss()).as("a run without a loss says nothing").contains(loss(null, 1, 1.5));
    tracker.run();
    tracker.take("step 1 loss 2.5");
    assertThat(tracker.loss()).as("it was NaN before").contains(loss(2.5, 0, null));
    tracker.take("step 2 loss nan");
    tracker.run();
    tracker.take("step 1 loss nan");
    assertThat(tracker.loss()).as("it ended with NaN").contains(loss(null, 1, null));
  }

  private static Loss loss(@Nullable Double value, int notFinite, @Nullable Double before) {
    return new Loss(value, notFinite, before);
  }

  @RepeatedTest(20)
  void shouldReadWhatPythonPrints(RepetitionInfo repetition) {
    var random = new Random(repetition.getCurrentRepetition());
    for (int i = 0; i < 100; i++) {
      double loss = random.nextDouble() * Math.pow(10, random.nextInt(-30, 30));
      assertThat(LossTracker.find("step 5 loss: " + loss + " lr: 0.1")).hasValue(loss);
    }
  }
}
