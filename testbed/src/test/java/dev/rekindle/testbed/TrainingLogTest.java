package dev.rekindle.testbed;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TrainingLogTest {
  private static final LogLine.Source SOURCE =
      new LogLine.Source("node-1", "a-worker-0", "4e1c", 2);

  @Test
  void shouldReadStepAndLossOfALine() {
    LogLine line =
        LogLine.parse(
                SOURCE, "2026-11-21T06:28:01.123456789Z stdout F step 12 loss 2.302585092994046")
            .orElseThrow();
    assertThat(line.time()).isEqualTo(Instant.parse("2026-11-21T06:28:01.123456789Z"));
    assertThat(line.node()).isEqualTo("node-1");
    assertThat(line.run()).isEqualTo(2);
    TrainingLog.Step step = TrainingLog.step(line).orElseThrow();
    assertThat(step.step()).isEqualTo(12);
    assertThat(step.loss()).isEqualTo(2.302585092994046);
    assertThat(step.uid()).isEqualTo("4e1c");
  }

  @ParameterizedTest
  @ValueSource(strings = {"step 12 loss nan", "step 12 loss inf", "REKINDLE step 12"})
  void shouldReadAStepWithoutALossThatIsANumber(String text) {
    LogLine line = LogLine.parse(SOURCE, "2026-11-21T06:28:01.1Z stdout F " + text).orElseThrow();
    TrainingLog.Step step = TrainingLog.step(line).orElseThrow();
    assertThat(step.step()).isEqualTo(12);
    assertThat(step.loss()).isNaN();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "2026-11-21T06:28:01.1Z stdout F saved /ckpt/step-00000050.pt",
        "2026-11-21T06:28:01.1Z stdout F resumed from /ckpt/step-00000050.pt at step 50",
        "2026-11-21T06:28:01.1Z stdout F step twelve loss 2.3",
        "2026-11-21T06:28:01.1Z stderr F",
      })
  void shouldTakeOtherLinesForNoStep(String text) {
    assertThat(LogLine.parse(SOURCE, text).orElseThrow())
        .satisfies(line -> assertThat(TrainingLog.step(line)).isEmpty());
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "no log", "yesterday stdout F step 1 loss 2"})
  void shouldReadNothingFromWhatIsNoLogLine(String text) {
    assertThat(LogLine.parse(SOURCE, text)).isEmpty();
  }
}
