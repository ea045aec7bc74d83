package dev.rekindle.detect.progress;

import dev.rekindle.api.LoadErrorKind;
import java.util.List;
import java.util.Optional;

/**
 * Finds the error that ended the loading of a checkpoint, line by line. Libraries let most errors
 * of Python through: of an index that is cut off a {@code JSONDecodeError} is left, of an empty
 * file a bare {@code EOFError}. Such an error counts where the traceback above it leads through the
 * code that loads checkpoints, and only there. An error that has another cause, of CUDA or of a
 * network, is none wherever it is raised. Used by one thread.
 */
final class LoadTraceback {
  /** So many lines after the last such call its error is not waited for any more. */
  static final int WITHIN = 200;

  private static final String BEGIN = "Traceback (most recent call last)";

  /**
   * A function that loads checkpoints.
   *
   * @param file end of the path of its file
   * @param function beginning of its name
   * @param reach which errors count in it
   */
  private record Call(String file, String function, Reach reach) {
    boolean isIn(String line) {
      return line.contains(file) && line.contains(", in " + function);
    }
  }

  /** Which errors count; each counts those before it. */
  private enum Reach {
    NONE,
    /** PyTorch reads a file that may be anything, so one that is missing need not be of it. */
    FILE,
    /** A library loads a checkpoint. */
    CHECKPOINT,
    /** It compares the files that are there with the number of ranks. */
    RANKS
  }

  private static final List<Call> CALLS =
      List.of(
          new Call("/torch/serialization.py\"", "load", Reach.FILE),
          new Call("/transformers/trainer.py\"", "_load_from_checkpoint", Reach.CHECKPOINT),
          new Call("/transformers/trainer.py\"", "_load_optimizer_and_", Reach.CHECKPOINT),
          new Call("/transformers/trainer.py\"", "_load_rng_state", Reach.CHECKPOINT),
          new Call("/transformers/trainer_callback.py\"", "load_from_json", Reach.CHECKPOINT),
          new Call("/accelerate/checkpointing.py\"", "load_accelerator_state", Reach.CHECKPOINT),
          // Of lightning and of pytorch_lightning.
          new Call("/checkpoint_connector.py\"", "resume_start", Reach.CHECKPOINT),
          new Call("/deepspeed/runtime/engine.py\"", "load_checkpoint", Reach.CHECKPOINT),
          new Call("/deepspeed/runtime/state_dict_factory.py\"", "check_ckpt_list", Reach.RANKS),
          new Call("/dist_checkpointing/serialization.py\"", "load", Reach.CHECKPOINT),
          new Call("/dist_checkpointing/strategies/common.py\"", "load_common", Reach.CHECKPOINT),
          new Call("/orbax/checkpoint/checkpoint_manager.py\"", "restore", Reach.CHECKPOINT),
          new Call("/local/ckpt_managers/base_manager.py\"", "load", Reach.CHECKPOINT));

  /**
   * An error that a broken file gives, among others.
   *
   * @param words that its line has
   * @param isLast whether the line ends with them
   * @param reach which code has to raise it at least
   */
  private record Sign(LoadErrorKind kind, String words, boolean isLast, Reach reach) {
    /** A launcher may have put a rank and a colon before it; a line of source has other words. */
    boolean isIn(String line) {
      var at = line.indexOf(words);
      return at >= 0
          && (!isLast || at + words.length() == line.length())
          && (at == 0 || line.substring(0, at).stripTrailing().endsWith(":"));
    }
  }

  private static final List<Sign> SIGNS =
      List.of(
          new Sign(LoadErrorKind.PICKLE, "EOFError", true, Reach.FILE),
          new Sign(
              LoadErrorKind.ARCHIVE,
              "KeyError: \"filename 'storages' not found\"",
              true,
              Reach.FILE),
          // The end of a zip archive is looked for before the beginning of the file.
          new Sign(LoadErrorKind.ARCHIVE, "OSError: [Errno 22] Invalid argument", true, Reach.FILE),
          new Sign(LoadErrorKind.REFUSED, "UnicodeDecodeError: '", false, Reach.FILE),
          new Sign(
              LoadErrorKind.REFUSED, "json.decoder.JSONDecodeError: ", false, Reach.CHECKPOINT),
          new Sign(LoadErrorKind.MISSING_FILE, "FileNotFoundError: ", false, Reach.CHECKPOINT),
          new Sign(LoadErrorKind.MISSING_FILE, "AssertionError", true, Reach.RANKS));

  private Reach reach = Reach.NONE;
  private int left;

  /** What the next line says, if it ends the loading of a checkpoint. */
  Optional<LoadErrorKind> take(String line) {
    if (line.contains(BEGIN)) {
      clear();
      return Optional.empty();
    }
    if (line.contains(", in ") && line.contains("File \"")) {
      CALLS.stream().filter(call -> call.isIn(line)).findFirst().ifPresent(this::enter);
      return Optional.empty();
    }
    if (left == 0) {
      return Optional.empty();
    }
    left--;
    var text = line.stripTrailing();
    var found =
        SIGNS.stream()
            .filter(sign -> reach.compareTo(sign.reach()) >= 0 && sign.isIn(text))
            .findFirst()
            .map(Sign::kind);
    if (found.isPresent()) {
      clear();
    }
    return found;
  }

  private void enter(Call call) {
    reach = reach.compareTo(call.reach()) < 0 ? call.reach() : reach;
    left = WITHIN;
  }

  /** Forgets the calls that were seen. */
  void clear() {
    reach = Reach.NONE;
    left = 0;
  }
}
