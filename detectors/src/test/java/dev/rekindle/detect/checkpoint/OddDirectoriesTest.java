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
import org.junit.jupiter.params.provider.ValueSource;

/** Directories that somebody has really made, and what is chosen in them. */
class OddDirectoriesTest {
  private static final Instant THEN = Instant.parse("2026-01-01T00:00:00Z");

  @TempDir Path directory;

  private void file(String path, byte[] bytes, long later) throws IOException {
    var file = directory.resolve(path);
    Files.createDirectories(file.getParent());
    Files.write(file, bytes);
    Files.setLastModifiedTime(file, FileTime.from(THEN.plusSeconds(later)));
    Files.setLastModifiedTime(file.getParent(), FileTime.from(THEN.plusSeconds(later)));
  }

  private void file(String path, long later) throws IOException {
    file(path, Fixtures.torchSave(), later);
  }

  private void torn(String path, long later) throws IOException {
    file(path, Arrays.copyOf(Fixtures.torchSave(), 500), later);
  }

  private void dcp(String name, long later) {
    DcpFixture.write(directory.resolve(name), 2, 3, 100, THEN.plusSeconds(later));
  }

  private String verdicts() {
    return Scans.usual(directory).scan().checkpoints().stream()
        .map(one -> one.name() + " " + one.verdict().kind().word())
        .collect(Collectors.joining(", "));
  }

  private Choice choice() {
    var result = Scans.usual(directory).scan();
    return Choice.of(result.checkpoints().stream().map(Found::candidate).toList(), result.error());
  }

  private String chosen() {
    return choice().chosen().map(one -> directory.relativize(Path.of(one.path())) + "").orElse("-");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "step-20.tmp",
        "tmp_step-20",
        "_tmp_step-20",
        "temp_step-20",
        "step-20.incomplete",
        "step-20-unfinished",
        "step-20.tmp-17",
        "step-20.tmp-1f0c9a3e",
        "step-20.tmp.a8_k3zqp",
        "step-20_in_progress",
        "step-20.uncommitted",
        "staging-step-20"
      })
  void shouldNotResumeFromAFolderThatWasNotRenamed(String name) {
    dcp("step-10", 0);
    dcp(name, 600);
    assertThat(verdicts()).isEqualTo(name + " Torn, step-10 Valid");
    assertThat(chosen()).isEqualTo("step-10");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "tmp-step-20.pt",
        "step-20.tmp.pt",
        "step-20_tmp.pth",
        "step-20-incomplete.ckpt",
        "_tmp_epoch=1-step=20.ckpt",
        "step-20.partial.pth.tar"
      })
  void shouldNotResumeFromAFileThatWasNotRenamed(String name) throws IOException {
    file("step-10.pt", 0);
    file(name, 600);
    assertThat(verdicts()).startsWith(name + " Torn").contains("step-10.pt Valid");
    assertThat(choice().message()).doesNotContain("newest of");
  }

  /** A temperature, and what only begins as such a word does. */
  @ParameterizedTest
  @ValueSource(strings = {"temp_0.7_step_20.pt", "temporal_step_20.pt", "template-step-20.pt"})
  void shouldResumeFromAFileThatOnlySoundsUnfinished(String name) throws IOException {
    file("step-10.pt", 0);
    file(name, 600);
    assertThat(chosen()).isEqualTo(name);
  }

  /** As NeMo marks a file, with and without its ending. */
  @ParameterizedTest
  @ValueSource(strings = {"gpt--step=20-unfinished", "gpt--step=20.ckpt-unfinished"})
  void shouldNotResumeFromAFileThatIsMarkedUnfinished(String marker) throws IOException {
    file("gpt--step=10.ckpt", 0);
    file("gpt--step=20.ckpt", 600);
    assertThat(chosen()).isEqualTo("gpt--step=20.ckpt");
    file(marker, new byte[0], 600);
    assertThat(verdicts()).isEqualTo("gpt--step=20.ckpt Torn, gpt--step=10.ckpt Valid");
    assertThat(chosen()).isEqualTo("gpt--step=10.ckpt");
    assertThat(choice().message()).contains("a file -unfinished is beside it");
  }

  @Test
  void shouldNotMindATemporaryFolderOfAnotherName() throws IOException {
    dcp("step-10", 0);
    file("tmp-checkpoint-20/model.safetensors", 600);
    assertThat(chosen()).isEqualTo("step-10");
  }

  @Test
  void shouldPassOverAFolderThatWasOnlyJustMade() throws IOException {
    dcp("step-10", 0);
    Files.createDirectory(directory.resolve("step-20"));
    assertThat(verdicts()).isEqualTo("step-20 Torn, step-10 Valid");
    assertThat(chosen()).isEqualTo("step-10");
  }

  @ParameterizedTest
  @ValueSource(strings = {"/mnt/other-disk/step-20", "/usr"})
  void shouldHaveAWordForACheckpointThatIsALinkAway(String target) throws IOException {
    dcp("step-10", 0);
    Files.createSymbolicLink(directory.resolve("step-20"), Path.of(target));
    assertThat(choice().message())
        .contains("passed over step 20 unknown (a link that leads out of the directory)");
    assertThat(chosen()).isEqualTo("step-10");
  }

  @Test
  void shouldNotFollowALinkToAFolderThatItLiesIn() throws IOException {
    dcp("step-10", 0);
    for (int i = 0; i < 60; i++) {
      Files.createSymbolicLink(directory.resolve("step-10/up" + i), Path.of(".."));
      Files.createSymbolicLink(directory.resolve("here" + i), Path.of("."));
    }
    assertThat(chosen()).isEqualTo("step-10");
  }

  /** An earlier run got further; the newer one is behind it. */
  @Test
  void shouldHaveAWordWhereALowerStepWasWrittenLater() throws IOException {
    file("step_5000.pt", 0);
    file("step_100.pt", 86_400);
    assertThat(chosen()).isEqualTo("step_5000.pt");
    assertThat(choice().message())
        .isEqualTo(
            "newest of 2; step 100 is lower and was written 1d0h later: is step 5000 of an older"
                + " run?");
    file("step_100.pt", 59);
    assertThat(choice().message()).isEqualTo("newest of 2");
  }

  @ParameterizedTest
  @CsvSource({
    "model_step_400.pt, optim_step_400.pt, model_step_500.pt, optim_step_500.pt",
    "step_400.pt, step_400_optimizer.pt, step_500.pt, step_500_optimizer.pt",
    "step_400_0.pt, step_400_1.pt, step_500_0.pt, step_500_1.pt",
  })
  void shouldTakeFilesOfOneStepTogether(String one, String two, String three, String four)
      throws IOException {
    file(one, 0);
    file(two, 0);
    file(three, 600);
    assertThat(choice().chosen().orElseThrow().step()).as("not written yet").isEqualTo(400);
    assertThat(choice().message()).contains("belongs with it is missing: step 400 has " + two);
    torn(four, 600);
    assertThat(choice().chosen().orElseThrow().step()).as("cut off").isEqualTo(400);
    file(four, 600);
    assertThat(choice().chosen().orElseThrow().step()).as("complete").isEqualTo(500);
  }

  /** A save over both that was killed after the first: each is complete, of a save of its own. */
  @ParameterizedTest
  @CsvSource({
    "model_step_400.pt, optim_step_400.pt, model_step_500.pt, optim_step_500.pt",
    "step_400_0.pt, step_400_1.pt, step_500_0.pt, step_500_1.pt",
  })
  void shouldNotTakeFilesOfTwoSavesTogether(String one, String two, String three, String four)
      throws IOException {
    file(one, 0);
    file(two, 30);
    file(three, 600);
    file(four, 690);
    assertThat(choice().chosen().orElseThrow().step()).as("three times 30 s").isEqualTo(500);
    file(three, 5000);
    assertThat(choice().chosen().orElseThrow().step()).as("saved over").isEqualTo(400);
    assertThat(choice().message())
        .contains(four + " was written 4310 s before " + three)
        .contains("a save usually takes 30 s: two saves may be mixed");
    file(four, 5030);
    assertThat(choice().chosen().orElseThrow().step()).as("both saved over").isEqualTo(500);
  }

  @Test
  void shouldNotHoldACopyAgainstTheFileThatItIsOf() throws IOException {
    file("step_500.pt", 0);
    torn("best_step_500.pt", 0);
    assertThat(chosen()).isEqualTo("step_500.pt");
    torn("epoch_3_step_500.pt", 0);
    assertThat(chosen()).isEqualTo("step_500.pt");
  }

  @ParameterizedTest
  @CsvSource({
    "runs/exp1/checkpoint-500/trainer_state.json, Hugging Face (runs/exp1/checkpoint-500)",
    "runs/exp1/checkpoints/global_step5/x, DeepSpeed (runs/exp1/checkpoints/global_step5)",
    "exp1/step_100.pt, torch.save (exp1/step_100.pt)",
    "default/x/checkpoints/m--loss=0.1-step=9-last/a, a format that is not known (default/x/check",
    "outputs/2026-11-01/10-00-00/model_step_5.pt, torch.save (outputs/2026-11-01/10-00-00/model",
  })
  void shouldNameWhatLiesDeeperAndNotSayThatTrainingStartsOver(String path, String named)
      throws IOException {
    file(path, 0);
    assertThat(choice().outcome()).isEqualTo(Choice.Outcome.UNKNOWN);
    assertThat(choice().message()).contains("it looks like checkpoints of " + named);
  }

  /** The index is written after the files that it names. */
  @Test
  void shouldSeeASafetensorsShardOfAnotherSave() throws IOException {
    for (var step : new int[] {10, 20}) {
      var folder = "step-" + step + "/";
      var shard = new byte[] {2, 0, 0, 0, 0, 0, 0, 0, '{', '}'};
      file(folder + "model-00001-of-00002.safetensors", shard, step);
      file(folder + "model-00002-of-00002.safetensors", shard, step + 2);
      file(
          folder + "model.safetensors.index.json",
          """
          {"weight_map": {"a": "model-00001-of-00002.safetensors",
                          "b": "model-00002-of-00002.safetensors"}}\
          """
              .getBytes(java.nio.charset.StandardCharsets.US_ASCII),
          step);
    }
    assertThat(verdicts()).isEqualTo("step-20 Valid, step-10 Valid");
    file(
        "step-20/model-00001-of-00002.safetensors",
        new byte[] {2, 0, 0, 0, 0, 0, 0, 0, '{', '}'},
        90);
    assertThat(verdicts()).isEqualTo("step-20 Torn, step-10 Valid");
    assertThat(choice().message()).contains("two saves are mixed");
  }

  /** Not only deeper: as Ray, TensorFlow, Paddle, Keras and scripts with NumPy save. */
  @ParameterizedTest
  @CsvSource({
    "checkpoint_000001/model.pt, checkpoint_000001",
    "epoch0-step100/model/pytorch_model-00001.bin, epoch0-step100",
    "ckpt-100.index, ckpt-100.index",
    "step_100.pdparams, step_100.pdparams",
    "step_100.h5, step_100.h5",
    "params_step_100.npz, params_step_100.npz",
  })
  void shouldNameWhatHasAStepAndNoKnownFormat(String path, String named) throws IOException {
    file(path, new byte[] {1, 2, 3}, 0);
    assertThat(choice().outcome()).isEqualTo(Choice.Outcome.UNKNOWN);
    assertThat(choice().message())
        .contains("it looks like checkpoints of a format that is not known (" + named + ")");
  }

  @ParameterizedTest
  @ValueSource(strings = {"sample_step_100.png", "log_step_100.txt", "step_100.json", "data.npz"})
  void shouldNotTakeWhatAScriptDrawsForACheckpoint(String name) throws IOException {
    file(name, new byte[] {1, 2, 3}, 0);
    Files.createDirectory(directory.resolve("step_200"));
    assertThat(choice().outcome()).isEqualTo(Choice.Outcome.NONE);
  }

  /** As the scripts of diffusers save: not the Trainer's, whose marker is not missing. */
  @ParameterizedTest
  @ValueSource(strings = {"checkpoint-", "step_"})
  void shouldKnowFoldersThatAScriptOfAcceleratesNames(String name) throws IOException {
    for (var step : new int[] {400, 500}) {
      file(name + step + "/model.safetensors", new byte[] {2, 0, 0, 0, 0, 0, 0, 0, '{', '}'}, step);
      file(name + step + "/optimizer.bin", step);
      file(name + step + "/random_states_0.pkl", step);
    }
    assertThat(verdicts()).isEqualTo(name + "500 Valid, " + name + "400 Valid");
    Files.delete(directory.resolve(name + "500/random_states_0.pkl"));
    assertThat(verdicts()).isEqualTo(name + "500 Torn, " + name + "400 Valid");
    assertThat(choice().message()).contains("random_states_0.pkl is missing");
    Files.delete(directory.resolve(name + "400/model.safetensors"));
    file(name + "400/unet/diffusion_pytorch_model.safetensors", 400);
    assertThat(verdicts()).isEqualTo(name + "500 Torn, " + name + "400 Unknown");
  }

  /** Of what is deeper nothing is said where there is something to resume from. */
  @Test
  void shouldNotMindAnArchiveBelow() throws IOException {
    file("step_100.pt", 0);
    file("archive/step_90.pt", 0);
    file("archive/old/step_80.pt", 0);
    assertThat(chosen()).isEqualTo("step_100.pt");
  }
}
