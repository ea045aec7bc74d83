package dev.rekindle.detect.kmsg;

import static dev.rekindle.detect.kmsg.ReaderFixture.append;
import static dev.rekindle.detect.kmsg.ReaderFixture.await;
import static dev.rekindle.detect.kmsg.ReaderFixture.line;
import static dev.rekindle.detect.kmsg.ReaderFixture.lines;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Records of the kernel, as they come. */
class KmsgReaderTest extends KmsgReaderFixture {
  @Test
  void shouldDeliverOldAndNewRecordsWithTheirTimeWhenFileGrows() throws IOException {
    append(log, line(5));
    try (var run = new ReaderFixture(log, state)) {
      run.awaitSequences(5L);
      append(log, line(6), " SUBSYSTEM=acpi", " DEVICE=+acpi:P", line(7));
      run.awaitSequences(5L, 6L, 7L);
      assertThat(run.times.getLast()).isEqualTo(ReaderFixture.BOOT_TIME.plus(Duration.ofMillis(7)));
      assertThat(run.reader.statistics().lost()).isZero();
      assertThat(run.reader.statistics().malformed()).isZero();
      assertThat(run.reader.statistics().open()).isTrue();
    }
  }

  /** How long a record lies there at the most before it is read. */
  @Test
  void shouldReadAgainAfterFiftyMillisecondsWhenThereIsNoRecord() throws IOException {
    append(log, line(1));
    try (var run = new ReaderFixture(log, state)) {
      run.awaitSequences(1L);
      for (int i = 2; i < 12; i++) {
        append(log, line(i));
        var wanted = i;
        await("record " + i, () -> run.got.size() >= wanted);
      }
      assertThat(run.waits).containsOnly(Duration.ofMillis(50));
    }
  }

  @Test
  void shouldWaitForTheRestWhenLineIsHalfWritten() throws IOException {
    Files.writeString(log, "6,1,1,-;first half");
    try (var run = new ReaderFixture(log, state)) {
      await("file open", () -> run.reader.statistics().open());
      Files.writeString(log, ", second half\n", StandardOpenOption.APPEND);
      run.awaitSequences(1L);
      assertThat(run.got.getFirst().text()).isEqualTo("first half, second half");
    }
  }

  @Test
  void shouldContinueAndCountWhenLinesAreMalformed() throws IOException {
    append(log, "garbage", line(1), "4,x,y;z", "6,2,2,-;" + "y".repeat(20_000), "", line(3));
    try (var run = new ReaderFixture(log, state)) {
      run.awaitSequences(1L, 3L);
      assertThat(run.reader.statistics().malformed()).isEqualTo(3);
    }
  }

  @Test
  void shouldCountAndNotDeliverWhatAProcessWroteIntoTheKernelLog() throws IOException {
    append(log, line(1), "12,2,2,-;NVRM: Xid (PCI:0000:3b:00): 79", "30,3,3,-;daemon", line(4));
    try (var run = new ReaderFixture(log, state)) {
      run.awaitSequences(1L, 4L);
      await("both counted", () -> run.reader.statistics().foreign() == 2);
      assertThat(run.reader.statistics().lost()).isZero();
    }
    try (var run = new ReaderFixture(log, state)) {
      await("all known", () -> run.reader.statistics().replayed() == 4);
      assertThat(run.got).as("after a restart of the agent").isEmpty();
    }
  }

  @Test
  void shouldLeaveOutARecordThatOverflowsTheStackAndContinue() throws IOException {
    append(log, lines(1, 3));
    KmsgSink failing =
        (kmsg, time) -> {
          if (kmsg.sequence() == 2) {
            throw new StackOverflowError("thrown by the test");
          }
          return true;
        };
    try (var run = new ReaderFixture(log, state, "boot-1", failing)) {
      run.awaitSequences(1L, 3L);
      assertThat(run.reader.statistics().malformed()).isEqualTo(1);
      assertThat(run.reader.statistics().refused()).isZero();
    }
  }

  @Test
  void shouldReadFromTheStartWhenFileIsTruncatedOrReplaced() throws IOException {
    append(log, lines(1, 5));
    try (var run = new ReaderFixture(log, state)) {
      run.awaitSequences(1L, 2L, 3L, 4L, 5L);
      Files.writeString(log, line(6) + "\n");
      await("record 6", () -> run.got.size() == 6);
      var other = state.resolve("other");
      append(other, line(6), line(7));
      Files.move(other, log, java.nio.file.StandardCopyOption.REPLACE_EXISTING);
      run.awaitSequences(1L, 2L, 3L, 4L, 5L, 6L, 7L);
    }
  }

  @Test
  void shouldStartReadingWhenFileAppearsLater() throws IOException {
    try (var run = new ReaderFixture(log, state)) {
      assertThat(run.reader.statistics().open()).isFalse();
      append(log, line(1));
      run.awaitSequences(1L);
    }
  }
}
