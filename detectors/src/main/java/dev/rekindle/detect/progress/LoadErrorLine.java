package dev.rekindle.detect.progress;

import dev.rekindle.api.LoadErrorKind;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * A line that says that a checkpoint cannot be loaded, as PyTorch, safetensors, Megatron, Orbax and
 * the trainers word it, or as Python does below their calls ({@link LoadTraceback}). Only lines
 * before the first step of a run are read: a later one is about something else. What was printed
 * after such a line decides whether it matters: a script may catch the error and load an older
 * checkpoint.
 *
 * @param kind what the line says
 * @param text the line, at most {@link #MAX_TEXT} characters
 * @param run which run of the container printed it
 * @param time when, by the container runtime's stamp
 */
public record LoadErrorLine(LoadErrorKind kind, String text, int run, Instant time) {
  /** Longest text kept, in characters. */
  static final int MAX_TEXT = 300;

  /** What is read of a line, in characters: errors stand at the beginning. */
  private static final int LOOKED_AT = 2_048;

  /** Words that a line has all of. */
  private record Sign(LoadErrorKind kind, List<String> words) {
    static Sign of(LoadErrorKind kind, String... words) {
      return new Sign(kind, List.of(words));
    }
  }

  private static final List<Sign> SIGNS =
      List.of(
          // c10: caffe2/serialize/inline_container.cc
          Sign.of(LoadErrorKind.ARCHIVE, "PytorchStreamReader failed"),
          Sign.of(LoadErrorKind.ARCHIVE, "failed finding central directory"),
          Sign.of(LoadErrorKind.ARCHIVE, "zipfile.BadZipFile:"),
          // torch.serialization, of a file of zeros
          Sign.of(LoadErrorKind.ARCHIVE, "RuntimeError: ", "files saved in the legacy .tar format"),
          // the same, and aten/src/ATen: files of before PyTorch 1.6
          Sign.of(LoadErrorKind.ARCHIVE, "RuntimeError: Invalid magic number; corrupt file?"),
          Sign.of(
              LoadErrorKind.ARCHIVE, "RuntimeError: ", "unexpected EOF, expected ", "corrupted"),
          Sign.of(LoadErrorKind.ARCHIVE, "RuntimeError: ", "storage has wrong byte size: expected"),
          // torch.distributed.checkpoint.api
          Sign.of(LoadErrorKind.DISTRIBUTED, "CheckpointException", "ranks:"),
          Sign.of(LoadErrorKind.DISTRIBUTED, "CheckpointException:"),
          // megatron.core.dist_checkpointing
          Sign.of(LoadErrorKind.DISTRIBUTED, "CheckpointingException:"),
          // tensorstore, under Orbax
          Sign.of(LoadErrorKind.DISTRIBUTED, "ValueError: ", "\" driver: ", "OCDBT database at "),
          Sign.of(LoadErrorKind.DISTRIBUTED, "ValueError: ", "Error reading ", "/_sharding\""),
          Sign.of(LoadErrorKind.SAFETENSORS, "SafetensorError", "header"),
          Sign.of(LoadErrorKind.SAFETENSORS, "SafetensorError", "HeaderTooLarge"),
          Sign.of(LoadErrorKind.SAFETENSORS, "SafetensorError", "HeaderTooSmall"),
          Sign.of(LoadErrorKind.SAFETENSORS, "SafetensorError", "InvalidHeader"),
          Sign.of(LoadErrorKind.SAFETENSORS, "SafetensorError", "MetadataIncompleteBuffer"),
          Sign.of(LoadErrorKind.SAFETENSORS, "SafetensorError", "file not fully covered"),
          Sign.of(LoadErrorKind.PICKLE, "EOFError: Ran out of input"),
          Sign.of(LoadErrorKind.PICKLE, "UnpicklingError:"),
          Sign.of(LoadErrorKind.MISSING_FILE, "FileNotFoundError", "trainer_state.json"),
          Sign.of(LoadErrorKind.MISSING_FILE, "FileNotFoundError", ".distcp"),
          Sign.of(LoadErrorKind.MISSING_FILE, "FileNotFoundError", ".metadata"),
          Sign.of(LoadErrorKind.MISSING_FILE, "FileNotFoundError", "_states.pt"),
          Sign.of(LoadErrorKind.MISSING_FILE, "FileNotFoundError", "model_optim_rng.pt"),
          Sign.of(LoadErrorKind.MISSING_FILE, "FileNotFoundError", ".safetensors"),
          // lightning.pytorch
          Sign.of(LoadErrorKind.MISSING_FILE, "FileNotFoundError: Checkpoint at ", " not found. "),
          // orbax.checkpoint, by its version the one or the other
          Sign.of(
              LoadErrorKind.MISSING_FILE, "Error: Checkpoint structure file does not exist at "),
          // transformers.trainer
          Sign.of(LoadErrorKind.REFUSED, "ValueError: Can't find a valid checkpoint at "),
          // megatron.training.checkpointing
          Sign.of(LoadErrorKind.REFUSED, "could not load the checkpoint"),
          Sign.of(LoadErrorKind.REFUSED, "ERROR: Invalid metadata file"));

  /** What the line says, if it says that a checkpoint cannot be loaded. */
  static Optional<LoadErrorKind> kind(String line) {
    var text = line.length() <= LOOKED_AT ? line : line.substring(0, LOOKED_AT);
    if (!mayBe(text)) {
      return Optional.empty();
    }
    return SIGNS.stream()
        .filter(sign -> sign.words().stream().allMatch(text::contains))
        .findFirst()
        .map(Sign::kind);
  }

  /** The same with its text, cut. */
  static LoadErrorLine of(LoadErrorKind kind, String line, int run, Instant time) {
    return new LoadErrorLine(kind, cut(line), run, time);
  }

  /** Each of the signs has one of these words. */
  private static boolean mayBe(String text) {
    return text.contains("Error")
        || text.contains("Exception")
        || text.contains("ailed ")
        || text.contains("BadZipFile")
        || text.contains("could not load")
        || text.contains("ERROR");
  }

  private static String cut(String text) {
    var words = text.replaceAll("\\p{Cc}", " ").strip();
    return words.length() <= MAX_TEXT ? words : words.substring(0, MAX_TEXT);
  }
}
