package dev.rekindle.detect.kmsg;

import static dev.rekindle.detect.kmsg.ReaderFixture.append;
import static dev.rekindle.detect.kmsg.ReaderFixture.await;
import static dev.rekindle.detect.kmsg.ReaderFixture.line;
import static dev.rekindle.detect.kmsg.ReaderFixture.lines;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.agent.app.AgentClient;
import dev.rekindle.detect.state.StateFolder;
import java.io.IOException;
import java.nio.file.Files;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** From where the kernel log is read after a restart. */
class KmsgCursorTest extends KmsgReaderFixture {
  @Test
  void shouldDeliverOnlyNewRecordsWhenRestartedInTheSameBoot() throws IOException {
    append(log, lines(1, 200));
    try (var run = new ReaderFixture(log, state)) {
      await("200 records", () -> run.got.size() == 200);
    }
    append(log, lines(201, 203));
    try (var run = new ReaderFixture(log, state)) {
      run.awaitSequences(201L, 202L, 203L);
      assertThat(run.reader.statistics().replayed()).isEqualTo(200);
      assertThat(run.reader.statistics().lost()).isZero();
    }
  }

  @Test
  void shouldDeliverEverythingWhenBootIsAnother() throws IOException {
    append(log, lines(1, 3));
    try (var run = new ReaderFixture(log, state)) {
      run.awaitSequences(1L, 2L, 3L);
    }
    try (var run = new ReaderFixture(log, state, "boot-2", (kmsg, time) -> false)) {
      run.awaitSequences(1L, 2L, 3L);
    }
  }

  @Test
  void shouldCountLostWhenSequenceHasGapsAlsoOverRestart() throws IOException {
    append(log, line(10), line(11), line(15));
    try (var run = new ReaderFixture(log, state)) {
      run.awaitSequences(10L, 11L, 15L);
      assertThat(run.reader.statistics().lost()).isEqualTo(3);
    }
    append(log, line(20));
    try (var run = new ReaderFixture(log, state)) {
      run.awaitSequences(20L);
      assertThat(run.reader.statistics().lost()).isEqualTo(4);
    }
  }

  @Test
  void shouldOfferAgainAndHoldCursorWhenSinkRefuses() throws IOException {
    append(log, lines(1, 3));
    var refusals = new AtomicInteger();
    KmsgSink refusing =
        (kmsg, time) -> {
          if (kmsg.sequence() == 2) {
            refusals.incrementAndGet();
            throw new UndeliveredException(
                "API server away", new IllegalStateException("thrown by the test"));
          }
          return true;
        };
    try (var run = new ReaderFixture(log, state, "boot-1", refusing)) {
      // The reader counts a refusal after the sink has thrown it.
      await("two refusals", () -> run.reader.statistics().refused() >= 2);
      assertThat(refusals).hasValueGreaterThanOrEqualTo(2);
      assertThat(run.sequences()).containsExactly(1L);
      assertThat(run.reader.statistics().sequence()).isEqualTo(1);
    }
    try (var run = new ReaderFixture(log, state)) {
      run.awaitSequences(2L, 3L);
    }
  }

  @Test
  void shouldHaveCursorOnDiskBeforeNextRecordWhenRecordMattered() throws IOException {
    append(log, lines(1, 2));
    var cursorAtSecond = new AtomicInteger(-1);
    KmsgSink looking =
        (kmsg, time) -> {
          if (kmsg.sequence() == 2) {
            try {
              var cursor = new Cursor(new StateFolder(state, AgentClient.json())).read("boot-1");
              cursorAtSecond.set((int) cursor.orElse(0));
            } catch (IOException e) {
              throw new IllegalStateException(e);
            }
          }
          return true;
        };
    try (var run = new ReaderFixture(log, state, "boot-1", looking)) {
      run.awaitSequences(1L, 2L);
    }
    assertThat(cursorAtSecond).hasValue(1);
  }

  @Test
  void shouldReadAllWhenCursorFileIsBroken() throws IOException {
    for (var broken : new String[] {"", "garbage", "kmsg-cursor-1 boot-1 x", "x".repeat(5000)}) {
      Files.writeString(state.resolve("kmsg-cursor"), broken);
      Files.deleteIfExists(log);
      append(log, line(1));
      try (var run = new ReaderFixture(log, state)) {
        run.awaitSequences(1L);
      }
    }
  }

  @Test
  void shouldContinueWhenCursorCannotBeWritten() throws IOException {
    append(log, lines(1, 2));
    try (var run = new ReaderFixture(log, state.resolve("no/such/directory"))) {
      run.awaitSequences(1L, 2L);
    }
  }
}
