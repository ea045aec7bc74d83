package dev.rekindle.detect.progress;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Lines as trainers print them. */
class PauseWordsTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "***** Running Evaluation *****",
        "Saving model checkpoint to /ckpt/checkpoint-500",
        "Saving the checkpoint (or staging if async is enabled).",
        "saving checkpoint at iteration    1000 to /ckpt in torch_dist format",
        "Validation DataLoader 0:   0%|          | 0/20 [00:00<?, ?it/s]",
        "[rank0]: Evaluating on 1,024 samples",
        "eval: 3/40",
        "torch.compile: compiling graph 2",
        "AUTOTUNE mm(4096x4096, 4096x4096)",
        "Capturing CUDA graphs"
      })
  void shouldAnnounceAPause(String line) {
    assertThat(PauseWords.announce(line)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "loss 0.31",
        "saved checkpoint /ckpt/step-00000150.pt in 1.2 s",
        "Evaluation took 31.2 s",
        "Finished saving the checkpoint",
        "checkpoint /ckpt/step-5.pt is the newest",
        "evaluator=accuracy resave=1",
        "Watchdog caught collective operation timeout: WorkNCCL(SeqNum=7, OpType=ALLREDUCE)"
      })
  void shouldAnnounceNothing(String line) {
    assertThat(PauseWords.announce(line)).isFalse();
  }

  @Test
  void shouldReadTheBeginningOfALongLine() {
    assertThat(PauseWords.announce("x ".repeat(200) + "evaluating")).isFalse();
    assertThat(PauseWords.announce("evaluating " + "x ".repeat(8_000))).isTrue();
    assertThat(PauseWords.announce("e".repeat(16_000))).isFalse();
  }
}
