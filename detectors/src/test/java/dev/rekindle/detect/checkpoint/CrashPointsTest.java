package dev.rekindle.detect.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Saves of real libraries, killed at every operation and within writes. With {@code
 * -Dcheckpoint.cuts=N} so many places within each write; docs/benchmarks.md has the numbers.
 */
class CrashPointsTest {
  private static final int CUTS = Integer.getInteger("checkpoint.cuts", 2);

  static List<Path> journals() throws IOException, URISyntaxException {
    var root =
        Path.of(Objects.requireNonNull(CrashPointsTest.class.getResource("/checkpoints")).toURI());
    try (var files = Files.walk(root)) {
      return files.filter(file -> file.toString().endsWith(".zip")).sorted().toList();
    }
  }

  @ParameterizedTest
  @MethodSource("journals")
  void judgesEveryStateOfASaveThatWasCutOff(Path file, @TempDir Path root) throws IOException {
    var journal = CrashJournal.read(file);

    var outcome = new CrashPoints(journal, root, CUTS).run();

    System.out.printf(
        "crash points %-36s killed %5d power lost %5d wrong %d%n",
        journal.name(), outcome.killed(), outcome.powerless(), outcome.wrong().size());
    assertThat(outcome.wrong()).isEmpty();
  }
}
