package dev.rekindle.detect.kmsg;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.agent.app.AgentClient;
import dev.rekindle.detect.state.StateFolder;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KmsgProgressTest {
  @TempDir Path state;
  private long nanos = Long.MAX_VALUE - 5;
  private final Map<Long, RuntimeException> failures = new HashMap<>();
  private boolean matters = true;
  private KmsgProgress progress;

  @BeforeEach
  void start() {
    progress =
        new KmsgProgress(
            new Cursor(new StateFolder(state, AgentClient.json())),
            new Boot("boot-1", Instant.EPOCH),
            (kmsg, time) -> {
              var thrown = failures.get(kmsg.sequence());
              if (thrown != null) {
                throw thrown;
              }
              return matters;
            },
            () -> nanos);
    progress.load();
  }

  private void take(long sequence) {
    assertThat(takes(sequence)).isTrue();
  }

  private boolean takes(long sequence) {
    var bytes = ReaderFixture.line(sequence).getBytes(StandardCharsets.UTF_8);
    return progress.take(bytes, bytes.length);
  }

  private long onDisk() throws IOException {
    return new Cursor(new StateFolder(state, AgentClient.json())).read("boot-1").orElse(-1);
  }

  private void pass(Duration time) {
    nanos += time.toNanos();
  }

  @Test
  void shouldWriteTheFirstThatMattersAtOnceAndAStormAtItsPace() throws IOException {
    take(1);
    assertThat(onDisk()).isEqualTo(1);
    take(2);
    pass(KmsgProgress.SAVE_PACE.minusNanos(1));
    take(3);
    assertThat(onDisk()).as("within the pace").isEqualTo(1);
    pass(Duration.ofNanos(1));
    take(4);
    assertThat(onDisk()).isEqualTo(4);
  }

  @Test
  void shouldWriteOneThatMatteredWithTheNextThatDoesNot() throws IOException {
    take(1);
    take(2);
    matters = false;
    pass(KmsgProgress.SAVE_PACE);
    take(3);
    assertThat(onDisk()).isEqualTo(3);
    pass(KmsgProgress.SAVE_PACE);
    take(4);
    assertThat(onDisk()).as("nothing that matters since").isEqualTo(3);
  }

  @Test
  void shouldWriteAllThatWasReadWhenNothingComesOrTheReaderEnds() throws IOException {
    take(1);
    take(2);
    progress.idle();
    assertThat(onDisk()).isEqualTo(2);
    take(3);
    progress.save();
    assertThat(onDisk()).isEqualTo(3);
  }

  @Test
  void shouldWriteFromTimeToTimeWhenNothingMatters() throws IOException {
    matters = false;
    for (int i = 0; i < 63; i++) {
      take(i);
    }
    assertThat(onDisk()).isEqualTo(-1);
    take(63);
    assertThat(onDisk()).isEqualTo(63);
  }

  /** The fault of another device may be in the next one. */
  @Test
  void shouldLeaveOutARecordAtWhichProcessingFailsEachTime() {
    failures.put(2L, new IllegalArgumentException("thrown by the test"));
    take(1);
    int tries = 1;
    while (!takes(2) && tries < 1_000) {
      tries++;
    }
    assertThat(tries).isEqualTo(KmsgProgress.TRIES);
    take(3);
    assertThat(progress.statistics(true).malformed()).isEqualTo(1);
    assertThat(progress.statistics(true).lost()).isZero();
  }

  @Test
  void shouldOfferARecordForAsLongAsItCannotBeDelivered() {
    failures.put(2L, new UndeliveredException("no answer", new IllegalStateException("test")));
    take(1);
    for (int i = 0; i < 1_000; i++) {
      assertThat(takes(2)).isFalse();
    }
    failures.clear();
    take(2);
    assertThat(progress.statistics(true).malformed()).isZero();
  }
}
