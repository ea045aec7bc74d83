package dev.rekindle.detect.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.Objects;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class WorldFitTest {
  @ParameterizedTest
  @CsvSource({
    "16, 16, ''",
    "16, 8, 'it is of 16 ranks, and the job has 8 GPUs'",
    "8, 12, 'it is of 8 ranks, and the job has 12 GPUs'",
    // Two stages of a pipeline, or two GPUs for each rank.
    "8, 16, ''",
    "0, 8, ''",
    // Trained on processors alone, or on a device that is not counted.
    "8, 0, ''",
    "2147483647, 9223372036854775807, 'it is of 2147483647 ranks, and the job has"
        + " 9223372036854775807 GPUs'"
  })
  void shouldFitAMultipleOfItsRanks(int ranks, long gpus, String fault) {
    assertThat(WorldFit.fault(ranks, gpus).orElse("")).isEqualTo(fault);
  }

  /** Recorded saves of real trainers, and of how many ranks. */
  @ParameterizedTest
  @CsvSource({
    "deepspeed/beside, 2",
    "huggingface/deepspeed, 2",
    // Sharded anew as they are loaded, or whole in one file.
    "megatron/beside, 0",
    "huggingface/fsdp, 0",
    "huggingface/two-ranks, 0",
    "lightning/sharded, 0",
    "dcp/sync, 0",
    "torch-save/beside, 0"
  })
  void shouldTellOfHowManyRanksARecordedOneIs(String name, int ranks, @TempDir Path root)
      throws IOException, URISyntaxException {
    var file =
        Objects.requireNonNull(WorldFitTest.class.getResource("/checkpoints/" + name + ".zip"));
    var journal = CrashJournal.read(Path.of(file.toURI()));
    new CrashMirror(root).show(new CrashPoints(journal, root, 0).last());

    var result = new Scanner(root, Scanner.Settings.USUAL).scan();

    assertThat(result.checkpoints()).isNotEmpty();
    assertThat(result.checkpoints())
        .allSatisfy(
            one -> {
              assertThat(one.verdict().isValid()).as("%s", one).isTrue();
              assertThat(one.verdict().ranks()).isEqualTo(ranks);
            });
    assertThat(result.forGpus(ranks + 1L).checkpoints())
        .allMatch(one -> one.verdict().isValid() == ranks <= 1);
    assertThat(result.forGpus(3L * ranks).checkpoints()).allMatch(one -> one.verdict().isValid());
    var line = ScanLine.write(1, one(result).modified(), "/ckpt", result);
    assertThat(line.contains("\"ranks\":" + ranks + "}")).isEqualTo(ranks > 0);
  }

  private static Found one(Scanner.Result result) {
    return result.checkpoints().getFirst();
  }
}
