package dev.rekindle.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * Writes the CRDs into the chart. A file that had to change fails the build once, so that a change
 * of a type never reaches the chart unseen and never misses it.
 */
class CrdFilesTest {
  private static final Path CHART = Path.of("../charts/rekindle/crds");

  @Test
  void shouldFindTheChartAsTheTypesSay() throws IOException {
    Map<String, String> wanted = CrdGeneration.files();
    List<String> changed = new ArrayList<>();
    Files.createDirectories(CHART);
    for (var file : wanted.entrySet()) {
      Path path = CHART.resolve(file.getKey());
      if (!file.getValue().equals(read(path))) {
        Files.writeString(path, file.getValue());
        changed.add(file.getKey());
      }
    }
    try (var present = Files.list(CHART)) {
      assertThat(present.map(path -> path.getFileName().toString()))
          .as("files of charts/rekindle/crds")
          .containsExactlyInAnyOrderElementsOf(wanted.keySet());
    }
    assertThat(changed)
        .as(
            "CRDs in charts/rekindle/crds that did not match the types. They have been written"
                + " anew: look at the difference, commit it, and run again")
        .isEmpty();
  }

  private static String read(Path path) throws IOException {
    try {
      return Files.readString(path);
    } catch (NoSuchFileException absent) {
      return "";
    }
  }
}
