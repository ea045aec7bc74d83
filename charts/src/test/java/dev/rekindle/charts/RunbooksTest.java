package dev.rekindle.charts;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.detect.knowledge.Entry;
import dev.rekindle.detect.knowledge.Kind;
import dev.rekindle.detect.knowledge.Knowledge;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The runbooks are written from the alerts and the knowledge of them, so that none lags behind. */
class RunbooksTest {
  static final Path FOLDER = Path.of("..", "docs", "runbooks");

  @Test
  void shouldFindARunbookOfEachAlertAndNoOther() throws IOException {
    Map<String, String> wanted = new TreeMap<>();
    wanted.put("README.md", index());
    for (Alert alert : Alert.all()) {
      Knowledge.shipped()
          .find(Kind.ALERT, alert.name())
          .ifPresent(entry -> wanted.put(alert.name() + ".md", page(alert, entry)));
    }
    Map<String, String> found = found();

    Files.createDirectories(FOLDER);
    for (String name : found.keySet()) {
      if (!wanted.containsKey(name)) {
        Files.delete(FOLDER.resolve(name));
      }
    }
    for (var page : wanted.entrySet()) {
      if (!page.getValue().equals(found.get(page.getKey()))) {
        Files.writeString(FOLDER.resolve(page.getKey()), page.getValue());
      }
    }

    assertThat(found)
        .as("%s has been rewritten: review the difference, commit it, and run again", FOLDER)
        .isEqualTo(wanted);
  }

  private static Map<String, String> found() throws IOException {
    Map<String, String> pages = new TreeMap<>();
    if (Files.exists(FOLDER)) {
      try (var files = Files.list(FOLDER)) {
        for (Path file : files.toList()) {
          pages.put(file.getFileName().toString(), Files.readString(file));
        }
      }
    }
    return pages;
  }

  private static String index() throws IOException {
    return """
    # Runbooks

    One page for each alert of the chart (`alerts.enabled`). Written by the build from
    `charts/rekindle/files/alerts.yaml` and `knowledge.yaml` of the detectors. `kubectl rekindle explain NAME` prints
    the same.

    """
        + Alert.all().stream()
            .map(
                alert ->
                    Wrapped.item(
                        "[%s](%s.md) (%s): %s."
                            .formatted(
                                alert.name(), alert.name(), alert.severity(), meaning(alert))))
            .collect(Collectors.joining("\n", "", "\n"));
  }

  private static String meaning(Alert alert) {
    return Knowledge.shipped().find(Kind.ALERT, alert.name()).map(Entry::meaning).orElse("");
  }

  private static String page(Alert alert, Entry entry) {
    String after = alert.after().isEmpty() ? "at once" : "after " + alert.after();
    return """
    # %s

    Severity %s, fires %s where this holds:

    ```
    %s
    ```

    ## Meaning

    %s

    ## Impact

    %s

    What Rekindle does: %s

    ## Diagnosis

    %s

    ## Mitigation

    %s
    """
        .formatted(
            alert.name(),
            alert.severity(),
            after,
            String.join("\n", Wrapped.lines(alert.expression(), Wrapped.WIDTH)),
            sentence(entry.meaning()),
            sentence(entry.impact()),
            String.join("\n", Wrapped.lines(entry.does(), Wrapped.WIDTH - 20)),
            entry.diagnosis().stream().map(Wrapped::item).collect(Collectors.joining("\n")),
            sentence(entry.toDo()));
  }

  private static String sentence(String clause) {
    String text = Character.toUpperCase(clause.charAt(0)) + clause.substring(1) + ".";
    return String.join("\n", Wrapped.lines(text, Wrapped.WIDTH));
  }
}
