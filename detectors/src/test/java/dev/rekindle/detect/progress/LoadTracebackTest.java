package dev.rekindle.detect.progress;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.LoadErrorKind;
import java.util.Collections;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class LoadTracebackTest {
  private static final String BEGIN = "Traceback (most recent call last):";
  private static final String TORCH = "/site-packages/torch/serialization.py\", line 1633, in load";
  private static final String TRAINER =
      "/site-packages/transformers/trainer.py\", line 3670, in _load_from_checkpoint";
  private static final String RANKS =
      "/site-packages/deepspeed/runtime/state_dict_factory.py\", line 175, in check_ckpt_list";

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      textBlock =
          """
          PICKLE | EOFError
          PICKLE | [rank3]: EOFError
          PICKLE | [default3]:[rank3]: EOFError
          ARCHIVE | KeyError: "filename 'storages' not found"
          ARCHIVE | OSError: [Errno 22] Invalid argument
          REFUSED | UnicodeDecodeError: 'utf-8' codec can't decode byte 0xcc in position 71
          REFUSED | json.decoder.JSONDecodeError: Expecting value: line 1 column 1 (char 0)
          MISSING_FILE | FileNotFoundError: [Errno 2] No such file or directory: '/ckpt/10/a.bin'
          """)
  void shouldCountBelowACallThatLoadsACheckpoint(LoadErrorKind kind, String error) {
    assertThat(last(BEGIN, frame(TRAINER), error)).contains(kind);
    assertThat(last(BEGIN, frame("/job/train.py\", line 9, in main"), error)).isEmpty();
    assertThat(last(error)).isEmpty();
  }

  /** PyTorch's own may read data, of which a file or an index may be missing for other reasons. */
  @Test
  void shouldCountLessBelowTorchLoad() {
    assertThat(last(BEGIN, frame(TORCH), "EOFError")).contains(LoadErrorKind.PICKLE);
    assertThat(last(BEGIN, frame(TORCH), "FileNotFoundError: '/data/a.pt'")).isEmpty();
    assertThat(last(BEGIN, frame(TORCH), "json.decoder.JSONDecodeError: Extra data")).isEmpty();
    assertThat(last(BEGIN, frame(TRAINER), frame(TORCH), "FileNotFoundError: '/ckpt/a.pt'"))
        .contains(LoadErrorKind.MISSING_FILE);
  }

  @Test
  void shouldCountAnAssertionOnTheFilesAlone() {
    assertThat(last(BEGIN, frame(RANKS), "AssertionError")).contains(LoadErrorKind.MISSING_FILE);
    assertThat(last(BEGIN, frame(TRAINER), "AssertionError")).isEmpty();
    assertThat(last(BEGIN, frame(RANKS), "AssertionError: the batch is odd")).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "torch.AcceleratorError: CUDA error: uncorrectable ECC error encountered",
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.",
        "torch.distributed.DistBackendError: NCCL error in: ProcessGroupNCCL.cpp:3690",
        "RuntimeError: Error(s) in loading state_dict for GPT2LMHeadModel:",
        "OSError: [Errno 5] Input/output error",
        "OSError: [Errno 116] Stale file handle",
        "PermissionError: [Errno 13] Permission denied: '/ckpt/step-20'",
        "KeyError: 'optimizer'",
        "KeyError: \"filename 'storages' not found\" in my_data",
        "ValueError: optimizer got an empty parameter list",
        "    raise EOFError",
        "    except EOFError",
        "KeyboardInterrupt"
      })
  void shouldNotCountAnErrorOfAnotherCause(String error) {
    assertThat(last(BEGIN, frame(TRAINER), error)).isEmpty();
  }

  @Test
  void shouldForgetTheCallWithTheNextTraceback() {
    var other = frame("/job/data.py\", line 9, in __getitem__");
    assertThat(last(BEGIN, frame(TRAINER), BEGIN, other, "EOFError")).isEmpty();
    assertThat(last(BEGIN, frame(TRAINER), "EOFError", "EOFError")).isEmpty();
  }

  @Test
  void shouldWaitForSoManyLinesAndNoMore() {
    assertThat(after(LoadTraceback.WITHIN - 1)).contains(LoadErrorKind.PICKLE);
    assertThat(after(LoadTraceback.WITHIN)).isEmpty();
  }

  private static Optional<LoadErrorKind> after(int lines) {
    var traceback = new LoadTraceback();
    assertThat(traceback.take(frame(TRAINER))).isEmpty();
    for (var line : Collections.nCopies(lines, "    return load(")) {
      assertThat(traceback.take(line)).isEmpty();
    }
    return traceback.take("EOFError");
  }

  private static String frame(String call) {
    return "  File \"/usr/lib/python3" + call;
  }

  private static Optional<LoadErrorKind> last(String... lines) {
    var traceback = new LoadTraceback();
    var found = Optional.<LoadErrorKind>empty();
    for (var line : lines) {
      found = traceback.take(line);
    }
    return found;
  }
}
