package dev.rekindle.detect.progress;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.LoadErrorKind;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class LoadErrorLineTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          ARCHIVE | RuntimeError: PytorchStreamReader failed reading zip archive: failed finding central directory
          ARCHIVE | [rank3]: RuntimeError: PytorchStreamReader failed reading file data/17: file read failed
          ARCHIVE | zipfile.BadZipFile: File is not a zip file
          ARCHIVE | RuntimeError: Invalid magic number; corrupt file?
          ARCHIVE | [rank1]: RuntimeError: unexpected EOF, expected 7491165 more bytes. The file might be corrupted.
          ARCHIVE | RuntimeError: storage has wrong byte size: expected 1018874368 got 0
          PICKLE | EOFError: Ran out of input
          PICKLE | _pickle.UnpicklingError: pickle data was truncated
          DISTRIBUTED | torch.distributed.checkpoint.api.CheckpointException: \
          CheckpointException ranks:dict_keys([0, 1])
          DISTRIBUTED | megatron.core.dist_checkpointing.core.CheckpointingException: is not a distributed checkpoint
          SAFETENSORS | safetensors_rust.SafetensorError: Error while deserializing header: HeaderTooLarge
          SAFETENSORS | SafetensorError: Error while deserializing: MetadataIncompleteBuffer
          MISSING_FILE | FileNotFoundError: [Errno 2] No such file or directory: \
          '/ckpt/checkpoint-25/trainer_state.json'
          MISSING_FILE | FileNotFoundError: [Errno 2] No such file or directory: '/ckpt/step-20/__1_0.distcp'
          MISSING_FILE | FileNotFoundError: Checkpoint at /ckpt/last.ckpt not found. Aborting training.
          MISSING_FILE | FileNotFoundError: Checkpoint structure file does not exist at /ckpt/20/default.
          MISSING_FILE | ValueError: Checkpoint structure file does not exist at /ckpt/20/default.
          REFUSED | could not load the checkpoint
          REFUSED | ERROR: Invalid metadata file /ckpt/latest_checkpointed_iteration.txt. Exiting
          """)
  void shouldKnowTheLineByItsFramework(LoadErrorKind kind, String line) {
    assertThat(LoadErrorLine.kind(line)).contains(kind);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "Loading checkpoint from /ckpt/step-20",
        "EOFError",
        "FileNotFoundError: [Errno 2] No such file or directory: '/data/train.bin'",
        "RuntimeError: CUDA error: out of memory",
        "WARNING: could not find the metadata file, will not load any checkpoints",
        "trainer_state.json saved",
        "ERROR: Checkpoint structure file does not exist at /ckpt/20. Attempting to assume an"
            + " implicit tree structure.",
        "Error: Required training data file 'a.tsv' not found. Aborting training.",
        "ValueError: Invalid magic number in the index of the data set",
        "RuntimeError: unexpected EOF in the stream of the data loader",
        "SafetensorError"
      })
  void shouldNotTakeAnotherLineForOne(String line) {
    assertThat(LoadErrorLine.kind(line)).isEmpty();
  }

  @Test
  void shouldReadTheBeginningAndKeepLittleOfALongLine() {
    var far = "x".repeat(3_000) + " PytorchStreamReader failed";
    assertThat(LoadErrorLine.kind(far)).isEmpty();
    var line = "PytorchStreamReader failed\u0007 " + "y".repeat(2_000);
    var found = LoadErrorLine.of(LoadErrorKind.ARCHIVE, line, 2, Instant.EPOCH);
    assertThat(found.text()).hasSize(LoadErrorLine.MAX_TEXT).doesNotContain("\u0007");
    assertThat(found.run()).isEqualTo(2);
  }
}
