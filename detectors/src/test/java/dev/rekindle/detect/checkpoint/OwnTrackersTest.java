package dev.rekindle.detect.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.Arrays;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Folders of verl, folders of Orbax without metadata, and a first save that did not end. */
class OwnTrackersTest {
  private static final Instant THEN = Instant.parse("2026-01-01T00:00:00Z");
  private static final String TRACKER = "latest_checkpointed_iteration.txt";

  @TempDir Path directory;

  private void file(String path, byte[] bytes) throws IOException {
    var file = directory.resolve(path);
    Files.createDirectories(file.getParent());
    Files.write(file, bytes);
    Files.setLastModifiedTime(file, FileTime.from(THEN));
  }

  private void step(int step, String role, int world) throws IOException {
    for (var kind : new String[] {"model", "optim", "extra_state"}) {
      for (int rank = 0; rank < world; rank++) {
        var name = kind + "_world_size_" + world + "_rank_" + rank + ".pt";
        file("global_step_" + step + "/" + role + name, Fixtures.torchSave());
      }
    }
  }

  private void tracker(String text) throws IOException {
    file(TRACKER, text.getBytes(StandardCharsets.UTF_8));
  }

  private String verdicts() {
    return Scans.usual(directory).scan().checkpoints().stream()
        .map(one -> one.format() + " " + one.step().orElse(-1) + " " + one.verdict().kind().word())
        .collect(Collectors.joining(", "));
  }

  private String message() {
    var result = Scans.usual(directory).scan();
    return Choice.of(result.checkpoints().stream().map(Found::candidate).toList(), result.error())
        .message();
  }

  @Test
  void shouldResumeVerlFromTheStepThatHasAllRanks() throws IOException {
    step(20, "actor/", 4);
    step(20, "critic/", 4);
    step(30, "actor/", 4);
    step(30, "critic/", 4);
    file("global_step_30/data.pt", Fixtures.torchSave());
    tracker("30");
    assertThat(verdicts()).isEqualTo("verl 30 Valid, verl 20 Valid");
    assertThat(message()).isEqualTo("newest of 2");
    Files.delete(directory.resolve("global_step_30/critic/optim_world_size_4_rank_3.pt"));
    assertThat(verdicts()).isEqualTo("verl 30 Torn, verl 20 Valid");
    assertThat(message()).contains("critic: optim_world_size_4_rank_3.pt is missing");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"global_step_30/actor/model_world_size_2_rank_1.pt", "global_step_30/data.pt"})
  void shouldNotResumeVerlFromAFileThatIsCutOff(String path) throws IOException {
    step(20, "actor/", 2);
    step(30, "actor/", 2);
    tracker("30");
    file(path, Arrays.copyOf(Fixtures.torchSave(), 500));
    assertThat(verdicts()).isEqualTo("verl 30 Torn, verl 20 Valid");
  }

  /** The tracker is written last, and verl resumes by it. */
  @Test
  void shouldNotResumeVerlFromWhatItsTrackerDoesNotNameYet() throws IOException {
    step(20, "", 2);
    step(30, "", 2);
    tracker("20");
    assertThat(verdicts()).isEqualTo("verl 30 Unknown, verl 20 Valid");
    assertThat(message()).contains("newer than " + TRACKER + " says (20)");
    Files.delete(directory.resolve(TRACKER));
    assertThat(verdicts()).isEqualTo("verl 30 Unknown, verl 20 Unknown");
  }

  @Test
  void shouldNotMixSavesOfVerlByOtherNumbersOfRanks() throws IOException {
    step(30, "actor/", 2);
    step(30, "actor/", 4);
    tracker("30");
    assertThat(verdicts()).isEqualTo("verl 30 Unknown");
    assertThat(message()).contains("files of saves by 2 and by 4 ranks");
  }

  @Test
  void shouldNameAnOrbaxFolderWithoutMetadata() throws IOException {
    file("10/default/manifest.ocdbt", new byte[] {1});
    file("10/default/d/0", new byte[] {1});
    assertThat(verdicts()).isEqualTo("orbax 10 Unknown");
    assertThat(message()).contains("commit_success.txt and _CHECKPOINT_METADATA are missing");
  }

  @Test
  void shouldSayThatTheFirstSaveDidNotEnd() throws IOException {
    file("step_10.pt", Arrays.copyOf(Fixtures.torchSave(), 500));
    assertThat(message())
        .startsWith("the only checkpoint is not complete, and there is no older one: step 10 torn")
        .doesNotContain("starts over");
    file("step_20.pt", Arrays.copyOf(Fixtures.torchSave(), 500));
    assertThat(message()).startsWith("none is valid: step 20 torn").endsWith("starts over");
  }
}
