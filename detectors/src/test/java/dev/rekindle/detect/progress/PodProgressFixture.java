package dev.rekindle.detect.progress;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A log as the runtime writes it, and one that follows it. */
abstract class PodProgressFixture {
  static final String TIME = "2026-01-01T00:00:0%d.123456789Z";

  @TempDir Path directory;
  PodProgress pod = new PodProgress(Path.of("replaced"), StepPattern.byDefault());

  @BeforeEach
  void follow() {
    pod = new PodProgress(directory, StepPattern.byDefault());
  }

  @AfterEach
  void close() throws IOException {
    pod.close();
  }

  void print(int run, int second, String text) throws IOException {
    raw(run, TIME.formatted(second) + " stdout F " + text + "\n");
  }

  void raw(int run, String line) throws IOException {
    Files.writeString(
        directory.resolve(run + ".log"),
        line,
        StandardOpenOption.CREATE,
        StandardOpenOption.APPEND);
  }

  Progress poll() throws IOException {
    pod.poll();
    return pod.progress();
  }

  static Instant at(int second) {
    return Instant.parse(TIME.formatted(second));
  }
}
