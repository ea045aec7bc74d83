package dev.rekindle.detect.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.rekindle.detect.checkpoint.dcp.DcpFixture;
import dev.rekindle.detect.checkpoint.tracker.TrackerOutcome;
import dev.rekindle.detect.checkpoint.tracker.TrackerOutcome.Kind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.time.InstantSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TrackerMainTest {
  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
  private static final String MEGATRON = "latest_checkpointed_iteration.txt";

  @TempDir Path root;

  private TrackerOutcome run(String format, String checkpoint) {
    return TrackerMain.run(
        new String[] {
          "--dir",
          root.toString(),
          "--checkpoint",
          root.resolve(checkpoint).toString(),
          "--format",
          format,
          "--attempt",
          "r1-1",
          "--until",
          "2026-01-01T00:01:00Z"
        },
        InstantSource.fixed(NOW));
  }

  private void tracked(String tracker, String text) throws IOException {
    Files.writeString(root.resolve(tracker), text);
    Files.setLastModifiedTime(root.resolve(tracker), FileTime.from(NOW.plusSeconds(2)));
  }

  @Test
  void shouldWriteTheNumberThatMegatronReads() throws IOException {
    Files.createDirectory(root.resolve("iter_0000200"));
    tracked(MEGATRON, "300");

    assertThat(run("megatron", "iter_0000200").now()).isEqualTo("200");
    assertThat(Files.readString(root.resolve(MEGATRON))).isEqualTo("200");
  }

  @Test
  void shouldWriteTheTagThatDeepSpeedReads() throws IOException {
    Files.createDirectory(root.resolve("before-lr-drop"));
    tracked("latest", "global_step300");

    assertThat(run("deepspeed", "before-lr-drop").now()).isEqualTo("before-lr-drop");
    assertThat(Files.readString(root.resolve("latest"))).isEqualTo("before-lr-drop");
  }

  /**
   * What is kept beside the tracker makes nothing unknown, and no torn save looks complete
   * afterwards.
   */
  @Test
  void shouldChangeNoVerdictForTheBetter() throws IOException {
    for (var step : new int[] {100, 200, 300}) {
      var folder = root.resolve("iter_%07d".formatted(step));
      DcpFixture.write(folder, 2, 3, 100, NOW);
      DcpFixture.file(folder.resolve("common.pt"), Fixtures.torchSave(), NOW);
      Files.writeString(folder.resolve("metadata.json"), "{\"sharded_backend\": \"torch_dist\"}");
      Files.setLastModifiedTime(folder.resolve("metadata.json"), FileTime.from(NOW));
    }
    // The newest is being saved again: a shard is of after its marker and its tracker.
    Files.setLastModifiedTime(
        root.resolve("iter_0000300/__0_0.distcp"), FileTime.from(NOW.plusSeconds(60)));
    tracked(MEGATRON, "300");

    assertThat(run("megatron", "iter_0000200").kind()).isEqualTo(Kind.REWRITTEN);

    var after = Scans.of(root, Formats.AUTO);
    assertThat(after.error()).isEmpty();
    assertThat(after.checkpoints())
        .extracting(found -> found.step().orElse(-1) + " " + found.verdict().kind().word())
        .containsExactly("300 Torn", "200 Valid", "100 Valid");
  }

  @ParameterizedTest
  @ValueSource(strings = {"torch-save", "dcp", "auto", "huggingface", ""})
  void shouldKnowNoTrackerOfOtherFormats(String format) {
    assertThatIllegalArgumentException().isThrownBy(() -> run(format, "checkpoint-200"));
  }

  @Test
  void shouldTakeNoFolderThatIsNoIteration() {
    assertThatIllegalArgumentException().isThrownBy(() -> run("megatron", "release"));
  }

  @Test
  void shouldSayWhatCameOfItInOneLineOfAscii() {
    var outcome = new TrackerOutcome(Kind.REWRITTEN, "latest", "a\"\n\u202e", "b", "c", "");

    assertThat(TrackerMain.line(outcome))
        .isEqualTo(
            "{\"tracker\":\"REWRITTEN\",\"file\":\"latest\",\"before\":\"a\\\"\\u000a\\u202e\","
                + "\"now\":\"b\",\"kept\":\"c\",\"reason\":\"\"}");
  }
}
