package dev.rekindle.detect.kmsg;

import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A kernel log in a file. */
abstract class KmsgReaderFixture {
  @TempDir Path state;
  Path log = Path.of("set before each test");

  @BeforeEach
  void nameLog() {
    log = state.resolve("kmsg");
  }
}
