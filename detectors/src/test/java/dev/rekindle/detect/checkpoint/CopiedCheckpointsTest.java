package dev.rekindle.detect.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.detect.checkpoint.format.Verdict;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Complete checkpoints, copied by something that gives each file the time of its copy. */
class CopiedCheckpointsTest {
  private static final Path EXAMPLES = Path.of("../examples/checkpoints");
  private static final Instant THEN = Instant.parse("2026-01-01T00:00:00Z");

  @TempDir
  @SuppressWarnings("NullAway.Init") // set by JUnit
  Path root;

  private void copy(String name, int markerBeforeShards) throws IOException {
    Path to = Files.createDirectories(root.resolve(name));
    try (var files = Files.list(EXAMPLES.resolve(name))) {
      for (Path file : files.toList()) {
        boolean marker = file.endsWith(".metadata");
        Path copy = Files.copy(file, to.resolve(file.getFileName()));
        Files.setLastModifiedTime(
            copy, FileTime.from(marker ? THEN.minusSeconds(markerBeforeShards) : THEN));
      }
    }
  }

  private Scanner.Result scan() {
    return Scans.usual(root).scan();
  }

  private List<Verdict.Kind> kinds() {
    return scan().checkpoints().stream().map(found -> found.verdict().kind()).toList();
  }

  @Test
  void shouldSayNothingWhereSeveralSeemMixed() throws IOException {
    copy("step-100", 10);
    copy("step-200", 10);

    Scanner.Result result = scan();
    assertThat(kinds()).containsExactly(Verdict.Kind.UNKNOWN, Verdict.Kind.UNKNOWN);
    assertThat(result.checkpoints().getFirst().verdict().reason())
        .contains("two saves are mixed, or it was copied without its times");
    Choice choice =
        Choice.of(result.checkpoints().stream().map(Found::candidate).toList(), result.error());
    assertThat(choice.outcome()).isEqualTo(Choice.Outcome.UNKNOWN);
  }

  /** As a kill leaves it. */
  @Test
  void shouldCallOneTornThatIsMixedAlone() throws IOException {
    copy("step-100", -1);
    copy("step-200", 10);

    assertThat(kinds()).containsExactly(Verdict.Kind.TORN, Verdict.Kind.VALID);
  }
}
