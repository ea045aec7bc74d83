package dev.rekindle.detect.progress;

import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * What a line says of the saving of a checkpoint: by the contract of {@code docs/annotations.md},
 * or in the words of trainers that are known. A line that only speaks of saving, such as a setting
 * or an error, says nothing.
 */
enum SaveLine {
  /** A save begins, or is scheduled: it is not over. */
  BEGINS,

  /** A save is over. */
  OVER;

  /** What is read of a line, in characters: a logger puts some before the words. */
  private static final int LOOKED_AT = 512;

  /** Said of a save that is over. The first of these that a line has decides. */
  private static final List<String> ENDS =
      List.of(
          "rekindle saved",
          // Megatron-LM, Megatron Bridge, NeMo, levanter
          "saved checkpoint",
          // MaxText
          "saved a checkpoint",
          "saved model checkpoint",
          "checkpoint saved",
          // torchtitan
          "finished saving the checkpoint",
          "finished saving checkpoint",
          // NeMo: "Async checkpoint save for step 25 (...) finalized successfully"
          ") finalized successfully",
          // DeepSpeed, one for each file
          "[torch] saved ",
          // Hugging Face Trainer, after "Saving model checkpoint to"
          "model weights saved in ");

  private static final List<String> BEGINNINGS =
      List.of(
          "rekindle saving",
          // Megatron-LM, nanoGPT, MMEngine, levanter
          "saving checkpoint",
          // Hugging Face Trainer
          "saving model checkpoint",
          // torchtitan
          "saving the checkpoint",
          // Accelerate
          "saving current state to ",
          "[torch] saving ",
          "starting checkpoint save",
          // Megatron-LM: "scheduled an async checkpoint save at iteration"
          "async checkpoint save at ",
          // MaxText: "Started an asynchronous checkpoint save for step"
          "asynchronous checkpoint save for ");

  /** Said of saves that do not happen, or not now. */
  private static final List<String> NOT_NOW =
      List.of(
          "not sav",
          "fail",
          "error",
          "exception",
          "skip",
          "will ",
          "would ",
          "every ",
          "unable",
          "cannot",
          "disabl",
          "enabled:",
          "interval",
          "last saved",
          "previously saved",
          "loading",
          "loaded",
          "restor",
          "resum",
          "delet",
          "remov",
          "no saved");

  /** What the line says, if it says anything of that. */
  static Optional<SaveLine> of(String line) {
    String text =
        (line.length() <= LOOKED_AT ? line : line.substring(0, LOOKED_AT)).toLowerCase(Locale.ROOT);
    if (!text.contains("sav") || NOT_NOW.stream().anyMatch(text::contains)) {
      return Optional.empty();
    }
    if (ENDS.stream().anyMatch(text::contains)) {
      return Optional.of(OVER);
    }
    return BEGINNINGS.stream().anyMatch(text::contains) ? Optional.of(BEGINS) : Optional.empty();
  }
}
