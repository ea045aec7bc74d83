package dev.rekindle.detect.progress;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What libraries print when they load a broken checkpoint, as testbed/checkpoints/load_errors.py
 * has recorded it: a file for each library, with its version.
 */
class RecordedLoadErrorsTest {
  /** Errors that faults of a script give in the same words, so that they say nothing. */
  private static final Set<String> NOT_TOLD =
      Set.of(
          // As where the script asks for another kind of item than it has saved.
          "orbax-bare 10/_CHECKPOINT_METADATA: cut in half",
          // torch.load of any file.
          "torch-save step_10.pt: gone");

  /**
   * One error.
   *
   * @param name library, file and what was done to it
   */
  record Recorded(String name, List<String> lines) {
    @Override
    public String toString() {
      return name;
    }
  }

  static List<Recorded> recorded() throws IOException, URISyntaxException {
    var folder =
        Path.of(
            Objects.requireNonNull(RecordedLoadErrorsTest.class.getResource("/load-errors"))
                .toURI());
    var all = new ArrayList<Recorded>();
    try (var files = Files.list(folder)) {
      for (var file : files.sorted().toList()) {
        for (var line : Files.readAllLines(file)) {
          if (line.startsWith("## ")) {
            var library = file.getFileName().toString().replace(".txt", " ");
            all.add(new Recorded(library + line.substring(3), new ArrayList<>()));
          } else if (!line.startsWith("# ")) {
            all.getLast().lines().add(line);
          }
        }
      }
    }
    return all;
  }

  @ParameterizedTest
  @MethodSource("recorded")
  void shouldBeKnown(Recorded error) {
    assertThat(isLoadError(error.lines(), UnaryOperator.identity()))
        .isEqualTo(!NOT_TOLD.contains(error.name()));
  }

  @ParameterizedTest
  @MethodSource("recorded")
  void shouldBeKnownBehindTheNameOfARank(Recorded error) {
    assertThat(isLoadError(error.lines(), line -> "[default3]:[rank3]: " + line))
        .isEqualTo(!NOT_TOLD.contains(error.name()));
  }

  /** Of every library something is here, and of all that a save consists of. */
  @Test
  void shouldBeOfEveryLibrary() throws IOException, URISyntaxException {
    assertThat(recorded()).hasSizeGreaterThan(100);
  }

  private static boolean isLoadError(List<String> lines, UnaryOperator<String> printed) {
    var traceback = new LoadTraceback();
    var found = false;
    for (var line : lines) {
      var text = printed.apply(line);
      var below = traceback.take(text);
      found |= LoadErrorLine.kind(text).or(() -> below).isPresent();
    }
    return found;
  }
}
