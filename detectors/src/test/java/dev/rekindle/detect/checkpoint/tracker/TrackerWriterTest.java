package dev.rekindle.detect.checkpoint.tracker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import dev.rekindle.detect.checkpoint.tracker.TrackerOutcome.Kind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** How a tracker is rewritten. */
class TrackerWriterTest extends TrackerWriterFixture {
  @Test
  void shouldNameTheCheckpointAndKeepTheOldText() throws IOException {
    Files.setPosixFilePermissions(
        root.resolve("latest"), PosixFilePermissions.fromString("rw-rw----"));

    assertThat(write())
        .isEqualTo(
            new TrackerOutcome(
                Kind.REWRITTEN, "latest", "global_step300", "global_step200", KEPT, ""));

    assertThat(files())
        .containsOnly(
            Map.entry("ckpt/latest", "global_step200"),
            Map.entry("ckpt/" + KEPT, "global_step300"));
    for (var name : List.of("latest", KEPT)) {
      assertThat(Files.getLastModifiedTime(root.resolve(name)).toInstant())
          .as("the time of a tracker shows which saves ended before it")
          .isEqualTo(SAVED);
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(root.resolve(name))))
          .isEqualTo("rw-rw----");
    }
  }

  @Test
  void shouldChangeNothingTheSecondTime() throws IOException {
    var _ = write();
    var once = files();
    assertThat(write().kind()).isEqualTo(Kind.UNCHANGED);
    assertThat(files()).isEqualTo(once);
  }

  @ParameterizedTest
  @ValueSource(strings = {"global_step200", "global_step200\n", " global_step200 "})
  void shouldLeaveOneThatNamesItAlready(String text) throws IOException {
    tracker(text);
    assertThat(write().kind()).isEqualTo(Kind.UNCHANGED);
    assertThat(files()).containsOnlyKeys("ckpt/latest");
  }

  /** What a run leaves that is killed between two of its operations. */
  private static Stream<Arguments> leftovers() {
    return Stream.of(
        argumentSet("half of the old text", ".latest.rekindle-tmp", "globa", "global_step300"),
        argumentSet("the old text is kept", KEPT, "global_step300", "global_step300"),
        argumentSet("half of the new text", ".latest.rekindle-tmp", "global_st", "global_step300"),
        argumentSet("kept by the first of two runs", KEPT, "global_step100", "global_step100"));
  }

  @ParameterizedTest
  @MethodSource("leftovers")
  void shouldContinueWhereARunWasCutOff(String name, String text, String kept) throws IOException {
    Files.writeString(root.resolve(name), text);
    assertThat(write().kind()).isEqualTo(Kind.REWRITTEN);
    assertThat(files())
        .containsOnly(Map.entry("ckpt/latest", "global_step200"), Map.entry("ckpt/" + KEPT, kept));
  }

  @Test
  void shouldRemoveALinkThatLiesWhereTheNewTextIsPrepared() throws IOException {
    Files.writeString(outside.resolve("victim"), "untouched");
    Files.createSymbolicLink(root.resolve(".latest.rekindle-tmp"), outside.resolve("victim"));
    assertThat(write().kind()).isEqualTo(Kind.REWRITTEN);
    assertThat(Files.readString(outside.resolve("victim"))).isEqualTo("untouched");
  }
}
