package dev.rekindle.detect.progress;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SaveLineTest {
  private static boolean passes(String line) {
    byte[] bytes = line.getBytes(StandardCharsets.UTF_8);
    return (LineFilter.of(bytes, 0, bytes.length) & LineFilter.SAVE) != 0;
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "REKINDLE saving step 1200",
        "[rank0]: REKINDLE saving step 1200",
        "saving checkpoint at iteration     100 to /ckpt in torch_dist format",
        "  scheduled an async checkpoint save at iteration     100 to /ckpt",
        "INFO:transformers.trainer:Saving model checkpoint to out/checkpoint-500",
        "[INFO|trainer.py:3503] 2024-10-22 20:11:28 >> Saving model checkpoint to out/checkpoint-5",
        "[titan] 2025-01-01 - root - INFO - Saving the checkpoint (or staging if async is"
            + " enabled).",
        "01/01/2026 00:00:00 - INFO - accelerate.accelerator - Saving current state to /ckpt/10",
        "saving checkpoint to out",
        "2026/01/01 00:00:00 - mmengine - INFO - Saving checkpoint at 3 epochs",
        "[2023-08-02 00:41:17,939] [INFO] [torch_checkpoint_engine.py:21:save] [Torch] Saving"
            + " ckpt/global_step10/mp_rank_00_model_states.pt...",
        "Started an asynchronous checkpoint save for step 100",
      })
  void shouldSeeThatASaveBegins(String line) {
    assertThat(SaveLine.of(line)).hasValue(SaveLine.BEGINS);
    assertThat(passes(line)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "REKINDLE saved step 1200",
        "  successfully saved checkpoint from iteration     100 to /ckpt [ t 1/1, p 1/1 ]",
        "[NeMo I 2026-02-17 17:58:50 nemo_logging:393] Async checkpoint save for step 25"
            + " (/ckpt/step=24.ckpt) finalized successfully.",
        "[titan] - root - INFO - Finished saving the checkpoint (or staging) in 2.31 seconds.",
        "saved a checkpoint at step 100",
        "Saved checkpoint at step 500",
        "[2023-08-02 00:41:17,977] [INFO] [torch_checkpoint_engine.py:23:save] [Torch] Saved"
            + " ckpt/global_step10/mp_rank_00_model_states.pt.",
        "Model weights saved in out/checkpoint-500/model.safetensors",
        "saved checkpoint /ckpt/step-00000150.pt in 1.2 s",
      })
  void shouldSeeThatASaveIsOver(String line) {
    assertThat(SaveLine.of(line)).hasValue(SaveLine.OVER);
    assertThat(passes(line)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "step 12",
        "saving checkpoint failed: No space left on device",
        "RuntimeError: cannot save checkpoint, not saved checkpoint",
        "Saving checkpoint every 500 steps to /ckpt",
        "will be saving checkpoint to /ckpt",
        "not saving checkpoint at iteration 5",
        "skipping: checkpoint saved 3 s ago",
        "loading saved checkpoint from /ckpt",
        "Resuming from saved checkpoint 500",
        "save_steps=500 save_total_limit=3",
        "memory saved: 12 GiB",
        "saved the tokenizer to out",
        "deleting old saved checkpoint /ckpt/step-1",
        "Configuration saved in out/checkpoint-500/config.json",
        "the last saved checkpoint is of step 500",
        "a previously saved checkpoint is kept",
        "saving checkpoint: interval 500",
        "an error came up while saving checkpoint 500",
        "exception while saving checkpoint 500",
        "would be saving checkpoint 500 now",
        "unable to go on saving checkpoint 500",
        "cannot go on saving checkpoint 500",
        "saving checkpoint is disabled",
        "saving checkpoint enabled: true",
        "loaded the saved checkpoint 500",
        "restored from saved checkpoint 500",
        "removing saved checkpoint 400",
        "no saved checkpoint found",
      })
  void shouldSeeNothingInWhatOnlySpeaksOfIt(String line) {
    assertThat(SaveLine.of(line)).isEmpty();
  }
}
