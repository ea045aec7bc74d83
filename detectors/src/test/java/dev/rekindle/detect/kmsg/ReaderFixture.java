package dev.rekindle.detect.kmsg;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.agent.app.AgentClient;
import dev.rekindle.detect.state.StateFolder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** A reader on its own thread, what its sink got, and the file it reads. */
final class ReaderFixture implements AutoCloseable {
  static final Instant BOOT_TIME = Instant.parse("2026-01-01T00:00:00Z");
  final List<KmsgRecord> got = new CopyOnWriteArrayList<>();
  final List<Instant> times = new CopyOnWriteArrayList<>();

  /** For how long the reader has waited, each time. */
  final Set<Duration> waits = ConcurrentHashMap.newKeySet();

  final KmsgReader reader;
  private final Thread thread;

  ReaderFixture(Path log, Path state, String bootId, KmsgSink sink) {
    reader =
        new KmsgReader(
            () -> KmsgReader.open(log),
            new Cursor(new StateFolder(state, AgentClient.json())),
            new Boot(bootId, BOOT_TIME),
            (kmsg, time) -> {
              var mattered = sink.accept(kmsg, time);
              times.add(time);
              got.add(kmsg);
              return mattered;
            },
            System::nanoTime,
            time -> {
              waits.add(time);
              LockSupport.parkNanos(time.toNanos());
            });
    thread = Thread.ofPlatform().daemon().start(reader);
  }

  ReaderFixture(Path log, Path state) {
    this(log, state, "boot-1", (kmsg, time) -> false);
  }

  List<Long> sequences() {
    return got.stream().map(KmsgRecord::sequence).toList();
  }

  static void append(Path log, String... lines) throws IOException {
    Files.writeString(
        log, String.join("\n", lines) + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
  }

  static String line(long sequence) {
    return "6," + sequence + "," + sequence * 1000 + ",-;record " + sequence;
  }

  static String[] lines(long from, long to) {
    var lines = new ArrayList<String>();
    for (var i = from; i <= to; i++) {
      lines.add(line(i));
    }
    return lines.toArray(new String[0]);
  }

  static void await(String what, BooleanSupplier condition) {
    var end = System.nanoTime() + Duration.ofSeconds(60).toNanos();
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).as("waited 60 s for: " + what).isLessThan(end);
      LockSupport.parkNanos(2_000_000);
    }
  }

  void awaitSequences(Long... wanted) {
    await("records " + List.of(wanted) + ", got " + sequences(), () -> got.size() >= wanted.length);
    assertThat(sequences()).containsExactly(wanted);
  }

  @Override
  public void close() throws IOException {
    reader.close();
    try {
      thread.join(Duration.ofSeconds(60));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    assertThat(thread.isAlive()).as("the reader ends when closed").isFalse();
  }
}
