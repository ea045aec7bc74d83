package dev.rekindle.fuzz;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Each reader of what others write, on inputs that were found to break one and on broken ones made
 * of good ones, the same in each build. {@code ./rekindle fuzz} continues for as long as one likes.
 */
class ReadersTest {
  private static final int INPUTS = 2_000;
  private static final Path FOUND = Path.of("src/test/resources/fuzz");

  static List<Target> targets() {
    return Targets.all();
  }

  /** In a thread of its own: a reader that never ends fails its case, and not the build's time. */
  @ParameterizedTest
  @MethodSource("targets")
  @Timeout(value = 5, unit = TimeUnit.MINUTES, threadMode = ThreadMode.SEPARATE_THREAD)
  void shouldThrowNothingAndTakeLittleMemoryWhateverItReads(Target target) throws IOException {
    for (var seed : target.seeds()) {
      read(target, seed, false);
    }
    for (var input : found(target)) {
      read(target, input, true);
    }
    var mutator = new Mutator(20260101, target.seeds());
    for (int i = 0; i < INPUTS; i++) {
      read(target, mutator.next(), true);
    }
  }

  private static void read(Target target, byte[] input, boolean measured) {
    try {
      if (measured) {
        Oracle.check(target, input);
      } else {
        target.reader().read(input);
      }
    } catch (Exception | Error e) {
      fail(
          "%s on %s (%s)"
              .formatted(
                  target.name(),
                  Base64.getEncoder()
                      .encodeToString(Arrays.copyOf(input, Math.min(4_000, input.length))),
                  e),
          e);
    }
  }

  private static List<byte[]> found(Target target) throws IOException {
    var folder = FOUND.resolve(target.name());
    if (!Files.isDirectory(folder)) {
      return List.of();
    }
    try (var files = Files.list(folder)) {
      var inputs = files.sorted().toList();
      assertThat(inputs).as("inputs kept for " + target.name()).isNotEmpty();
      var read = new java.util.ArrayList<byte[]>();
      for (var input : inputs) {
        read.add(Files.readAllBytes(input));
      }
      return read;
    }
  }
}
