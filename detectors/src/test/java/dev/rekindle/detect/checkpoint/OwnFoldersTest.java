package dev.rekindle.detect.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.detect.checkpoint.dcp.DcpFixture;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.Arrays;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Folders and files that a script saves as it likes, under names that libraries have as well. */
class OwnFoldersTest {
  private static final Instant THEN = Instant.parse("2026-01-01T00:00:00Z");

  @TempDir Path directory;

  private void file(String path, byte[] bytes, long later) throws IOException {
    var file = directory.resolve(path);
    Files.createDirectories(file.getParent());
    Files.write(file, bytes);
    Files.setLastModifiedTime(file, FileTime.from(THEN.plusSeconds(later)));
    Files.setLastModifiedTime(file.getParent(), FileTime.from(THEN.plusSeconds(later)));
  }

  private void whole(String path, long later) throws IOException {
    file(path, Fixtures.torchSave(), later);
  }

  private static byte[] cut() {
    return Arrays.copyOf(Fixtures.torchSave(), 500);
  }

  private void dcp(String name, long later) {
    DcpFixture.write(directory.resolve(name), 2, 3, 100, THEN.plusSeconds(later));
  }

  private Scanner.Result scan() {
    return Scans.usual(directory).scan();
  }

  private String verdicts() {
    return scan().checkpoints().stream()
        .map(one -> one.name() + " " + one.verdict().kind().word())
        .collect(Collectors.joining(", "));
  }

  private Choice choice() {
    var result = scan();
    return Choice.of(result.checkpoints().stream().map(Found::candidate).toList(), result.error());
  }

  /** A marker of a library is missing where the library has saved nothing. */
  @ParameterizedTest
  @CsvSource({
    "checkpoint_%d, model.pt optimizer.pt",
    "checkpoint_%d, pytorch_model.bin training_state.pt",
    "checkpoints/checkpoint_%d, model.safetensors optimizer.pt",
    "checkpoint-%d, model.pt optimizer.pt",
    "checkpoint-%d, pytorch_model.bin optimizer.pt",
    "global_step%d, model.pt optimizer.pt",
    "model-step=%d.ckpt, model.pt optimizer.pt"
  })
  void shouldCallNoFolderOfAScriptTorn(String name, String files) throws IOException {
    for (int step = 10; step <= 20; step += 10) {
      for (var file : files.split(" ", -1)) {
        whole(name.formatted(step) + "/" + file, step * 60L);
      }
    }
    assertThat(scan().checkpoints())
        .allMatch(one -> one.verdict().kind().word().equals("Unknown"), "not judged");
    assertThat(choice().outcome()).isEqualTo(Choice.Outcome.UNKNOWN);
  }

  @Test
  void shouldCallTornWhatALibraryHasBegun() throws IOException {
    whole("checkpoint-20/pytorch_model.bin", 1200);
    whole("checkpoint-20/training_args.bin", 1200);
    assertThat(verdicts()).isEqualTo("checkpoint-20 Torn");
  }

  /** That the one beside it is of the library shows whose this is. */
  @Test
  void shouldCallTornWhatIsNamedAsOneOfALibrary() throws IOException {
    whole("checkpoint_1/pytorch_model.bin", 600);
    whole("checkpoint_1/random_states_0.pkl", 600);
    whole("checkpoint_2/pytorch_model.bin", 1200);
    assertThat(verdicts()).isEqualTo("checkpoint_2 Torn, checkpoint_1 Valid");
  }

  @ParameterizedTest
  @CsvSource({
    "train_state.pt, whole, Valid",
    "train_state.pt, cut, Torn",
    "train_state.pt, empty, Torn",
    "train_state.pt, pickle, Valid",
    "train_state.pt, none, Unknown",
    "train/rank0.pt, whole, Valid",
    "train/rank0.pt, cut, Torn"
  })
  void shouldJudgeWhatAScriptSavesBesideShards(String path, String state, String verdict)
      throws IOException {
    dcp("step-10", 0);
    whole("step-10/" + path, 1);
    dcp("step-20", 600);
    if (!state.equals("none")) {
      var bytes =
          switch (state) {
            case "cut" -> cut();
            case "empty" -> new byte[0];
            case "pickle" -> Fixtures.legacy();
            default -> Fixtures.torchSave();
          };
      file("step-20/" + path, bytes, 601);
    }
    assertThat(verdicts()).isEqualTo("step-20 " + verdict + ", step-10 Valid");
  }

  /** The parts of one are folders, and what is beside them counts as well. */
  @Test
  void shouldJudgeWhatIsBesideParts() throws IOException {
    for (int step = 10; step <= 20; step += 10) {
      dcp("step-" + step + "/model", step * 60L);
      dcp("step-" + step + "/optim", step * 60L);
      file("step-" + step + "/rng/rank1.pt", step == 20 ? cut() : Fixtures.torchSave(), step * 60L);
    }
    assertThat(verdicts()).isEqualTo("step-20 Torn, step-10 Valid");
    assertThat(scan().checkpoints().getFirst().verdict().reason()).startsWith("rng: rank1.pt: ");
  }

  /** A kill while the last one is written leaves nothing to resume from in it. */
  @Test
  void shouldPassOverALaterFileThatIsTorn() throws IOException {
    whole("epoch=0-step=10.ckpt", 0);
    file("last.ckpt", cut(), 600);
    assertThat(choice().outcome()).isEqualTo(Choice.Outcome.VALID);
    assertThat(scan().stepless().getFirst().verdict().kind().word()).isEqualTo("Torn");
    whole("last.ckpt", 600);
    assertThat(choice().outcome()).isEqualTo(Choice.Outcome.UNKNOWN);
  }
}
