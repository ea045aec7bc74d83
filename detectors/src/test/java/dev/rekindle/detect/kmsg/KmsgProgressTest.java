package dev.rekindle.detect.kmsg;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.agent.app.AgentClient;
import dev.rekindle.detect.state.StateFolder;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KmsgProgressTest {
  @TempDir Path state;
  private long nanos = Long.MAX_VALUE - 5;
  private boolean matters = true;
  private KmsgProgress progress;

  @BeforeEach
  void start() {
    progress =
        new KmsgProgress(
            new Cursor(new StateFolder(state, AgentClient.json())),
            new Boot("boot-1", Instant.EPOCH),
            (kmsg, time) -> matters,
            () -> nanos);
    progress.load();
  }

  private void take(long sequence) {
    var bytes = ReaderFixture.line(sequence).getBytes(StandardCharsets.UTF_8);
    assertThat(progress.take(bytes, bytes.length)).isTrue();
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
}
