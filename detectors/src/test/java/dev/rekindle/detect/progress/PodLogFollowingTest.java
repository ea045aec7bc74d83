package dev.rekindle.detect.progress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** How the files of a log are followed. */
class PodLogFollowingTest extends PodProgressFixture {
  @Test
  void shouldMissNothingWhenLogIsRotated() throws IOException {
    print(0, 1, "step 1");
    poll();
    print(0, 2, "step 2");
    Files.move(directory.resolve("0.log"), directory.resolve("0.log.20260101-000002"));
    assertThat(poll().lastStep()).isEqualTo(2);
    assertThat(poll().lastStep()).isEqualTo(2);
    print(0, 3, "step 3");
    assertThat(poll()).isEqualTo(new Progress(0, 1L, at(1), 3L, at(3)));
    print(0, 4, "step 4");
    Files.move(directory.resolve("0.log"), directory.resolve("0.log.20260101-000004"));
    print(0, 5, "step 5");
    assertThat(poll()).isEqualTo(new Progress(0, 1L, at(1), 5L, at(5)));
  }

  @Test
  void shouldReadTheOldFileToItsEndWhenMoreThanOnePollIsLeftAtRotation() throws IOException {
    print(0, 1, "step 1");
    poll();
    raw(0, (TIME.formatted(2) + " stdout F " + "x".repeat(1000) + "\n").repeat(2000));
    print(0, 3, "step 2");
    Files.move(directory.resolve("0.log"), directory.resolve("0.log.20260101-000003"));
    print(0, 4, "nothing");
    for (int i = 0; i < 4; i++) {
      poll();
    }
    assertThat(pod.progress().lastStep()).isEqualTo(2);
    print(0, 5, "step 3");
    assertThat(poll().lastStep()).isEqualTo(3);
  }

  @Test
  void shouldReadFromTheStartWhenLogIsTruncated() throws IOException {
    print(0, 1, "step 1, and a text that makes the line longer than the next one");
    poll();
    Files.writeString(directory.resolve("0.log"), TIME.formatted(2) + " stdout F step 2\n");
    assertThat(poll().lastStep()).isEqualTo(2);
  }

  @Test
  void shouldReadOnlyTheTailWhenLogIsLongAtFirstSight() throws IOException {
    print(0, 1, "step 1");
    raw(0, (TIME.formatted(2) + " stdout F " + "x".repeat(1000) + "\n").repeat(100));
    print(0, 3, "step 2");
    assertThat(poll()).isEqualTo(new Progress(0, 2L, at(3), 2L, at(3)));
  }

  @Test
  void shouldReadBoundedAmountsWhenContainerIsChatty() throws IOException {
    print(0, 1, "step 1");
    poll();
    var noise = (TIME.formatted(2) + " stdout F " + "x".repeat(1000) + "\n").repeat(1000);
    raw(0, noise + noise);
    print(0, 3, "step 2");
    assertThat(poll().lastStep()).as("a megabyte a poll").isEqualTo(1);
    poll();
    assertThat(poll().lastStep()).isEqualTo(2);
    for (int i = 0; i < 9; i++) {
      raw(0, noise);
    }
    print(0, 4, "step 3");
    assertThat(poll().lastStep()).as("far behind: only the tail").isEqualTo(3);
  }

  @Test
  void shouldJoinPiecesWhenLineIsPartial() throws IOException {
    raw(0, TIME.formatted(1) + " stdout P ste\n" + TIME.formatted(1) + " stderr F step 9\n");
    assertThat(poll().lastStep()).isEqualTo(9);
    raw(0, TIME.formatted(2) + " stdout P p 1\n" + TIME.formatted(3) + " stdout F 2 loss\n");
    assertThat(poll()).isEqualTo(new Progress(0, 9L, at(1), 12L, at(3)));
  }

  @Test
  void shouldWaitForTheRestWhenLineIsHalfWritten() throws IOException {
    raw(0, TIME.formatted(1) + " stdout F step 1");
    assertThat(poll().lastStep()).isNull();
    raw(0, "2 loss\n");
    assertThat(poll().lastStep()).isEqualTo(12);
  }

  @Test
  void shouldContinueWhenLinesAreNotOfTheRuntime() throws IOException {
    for (var broken :
        List.of("", "step 5", "x stdout F step 5", TIME.formatted(1) + " stdnone F step 5")) {
      raw(0, broken + "\n");
    }
    raw(0, TIME.formatted(1) + " stdout X step 5\n" + TIME.formatted(1) + " stdout F\n");
    raw(0, "y".repeat(100_000) + "\n");
    assertThat(poll().lastStep()).isNull();
    raw(0, "2026-01-01T01:00:02.123456789+01:00 stdout F:x step 6\n");
    assertThat(poll()).isEqualTo(new Progress(0, 6L, at(2), 6L, at(2)));
  }

  @Test
  void shouldCutLineWhenItIsLongerThanSixteenKilobytes() {
    var lines = new ArrayList<String>();
    var joiner = new LineJoiner();
    var piece =
        (TIME.formatted(1) + " stdout P " + "x".repeat(10_000) + "\n")
            .getBytes(java.nio.charset.StandardCharsets.US_ASCII);
    for (int i = 0; i < 100; i++) {
      joiner.add(piece, piece.length, p -> lines.add(p.text()));
    }
    var end =
        (TIME.formatted(1) + " stdout F end\n" + TIME.formatted(1) + " stdout F next\n")
            .getBytes(java.nio.charset.StandardCharsets.US_ASCII);
    joiner.add(end, end.length, p -> lines.add(p.text()));
    assertThat(lines).containsExactly("x".repeat(LineJoiner.MAX_LINE), "next");
  }

  @Test
  void shouldFailAndTryAgainWhenDirectoryAppearsLater() throws IOException {
    var later = directory.resolve("pytorch");
    try (var early = new PodProgress(later, StepPattern.byDefault())) {
      assertThatThrownBy(early::poll).isInstanceOf(NoSuchFileException.class);
      Files.createDirectory(later);
      Files.writeString(later.resolve("0.log"), TIME.formatted(1) + " stdout F step 4\n");
      early.poll();
      assertThat(early.progress().lastStep()).isEqualTo(4);
    }
  }

  @Test
  void shouldNotFollowWhenLogIsALink() throws IOException {
    var secret =
        Files.writeString(directory.resolve("secret"), TIME.formatted(1) + " stdout F step 4\n");
    Files.createSymbolicLink(directory.resolve("0.log"), secret);
    assertThatThrownBy(pod::poll).isInstanceOf(IOException.class);
    assertThat(pod.progress().lastStep()).isNull();
  }
}
