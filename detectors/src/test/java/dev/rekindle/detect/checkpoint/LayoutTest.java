package dev.rekindle.detect.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.detect.checkpoint.format.Level;
import dev.rekindle.detect.checkpoint.format.Verdict;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Directories as frameworks leave them: what they are is said, and nothing is guessed. */
class LayoutTest {
  private static final Instant THEN = Instant.parse("2026-01-01T00:00:00Z");

  @TempDir Path directory;

  private void file(String path, byte[] bytes, Instant modified) throws IOException {
    var file = directory.resolve(path);
    Files.createDirectories(file.getParent());
    Files.write(file, bytes);
    Files.setLastModifiedTime(file, FileTime.from(modified));
  }

  private void file(String path) throws IOException {
    file(path, Fixtures.torchSave(), THEN);
  }

  private Scanner.Result scan() {
    return Scans.usual(directory).scan();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "mp_rank_00_model_states.pt,zero_pp_rank_0_mp_rank_00_optim_states.pt|DeepSpeed",
        "trainer_state.json,optimizer.pt,rng_state_0.pth|Hugging Face (trainer_state.json)",
        "model.safetensors.index.json,model-00001-of-00002.safetensors|Hugging Face",
        "lightning_logs/version_0/checkpoints/last.ckpt|Lightning (lightning_logs/version_0)",
        "run/epoch=1-step=5.ckpt|Lightning (run/epoch=1-step=5.ckpt)",
        "step=5-last-unfinished|NeMo",
      })
  void shouldNameWhatItLooksLikeAndNotCallItEmpty(String files, String named) throws IOException {
    for (var file : files.split(",", -1)) {
      file(file);
    }
    assertThat(scan().error())
        .startsWith("it looks like checkpoints of " + named)
        .endsWith("which are not judged");
  }

  @Test
  void shouldJudgeNothingWhereTwoKindsLieBesideOneAnother() throws IOException {
    file("step-50.pt");
    file("checkpoint-500/trainer_state.json");
    assertThat(scan().error())
        .isEqualTo(
            "checkpoints of Hugging Face and of torch.save lie beside one another: name the format"
                + " that the script loads");
  }

  @Test
  void shouldSayThatNoFileNamesItsStep() throws IOException {
    for (int epoch = 7; epoch < 100; epoch++) {
      file("lstm-epoch=%02d-train_loss=0.%d.ckpt".formatted(epoch, 7058 - epoch));
    }
    var result = scan();
    assertThat(result.checkpoints()).isEmpty();
    assertThat(result.error())
        .startsWith("no checkpoint names its step: lstm-epoch=")
        .contains("(an epoch is no step)")
        .endsWith(" and 90 more");
  }

  @Test
  void shouldNotTrustTheNewestStepWhereAFileThatNamesNoneIsNewer() throws IOException {
    file("epoch=3-step=50.ckpt");
    file("last.ckpt", Fixtures.torchSave(), THEN.plus(Doubts.TOGETHER));
    assertThat(scan().error()).as("a copy, written along with it").isEmpty();
    assertThat(scan().checkpoints()).hasSize(1);
    file("last.ckpt", Fixtures.torchSave(), THEN.plus(Doubts.TOGETHER).plusSeconds(1));
    assertThat(scan().error())
        .isEqualTo(
            "last.ckpt (nothing in its name is called a step) is newer than every checkpoint that"
                + " names its step");
  }

  @Test
  void shouldCallADirectoryEmptyWhereNothingInItIsACheckpoint() throws IOException {
    file("train.log");
    file("logs/events.out.tfevents.1");
    Files.createDirectory(directory.resolve("lost+found"));
    assertThat(scan())
        .isEqualTo(new Scanner.Result(java.util.List.of(), java.util.List.of(), "", true));
  }

  @Test
  void shouldNotTakeAPointerOfGitLfsForACheckpoint() throws IOException {
    file(
        "step-50.pt",
        ("version https://git-lfs.github.com/spec/v1\noid sha256:" + "0".repeat(64) + "\nsize 9\n")
            .getBytes(java.nio.charset.StandardCharsets.US_ASCII),
        THEN);
    assertThat(scan().checkpoints().getFirst().verdict())
        .isEqualTo(Verdict.unknown(Level.L3, "a pointer of Git LFS, and not the file itself"));
  }

  @Test
  void shouldShowNamesBoundedAndPrintable() throws IOException {
    file("\u001b[31m" + "x".repeat(200) + ".safetensors");
    assertThat(scan().error()).hasSizeLessThan(200).matches("[ -~]*");
  }
}
