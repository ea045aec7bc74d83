package dev.rekindle.charts;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.marcnuri.helm.Helm;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;

/** The chart, rendered by Helm itself (as a library: no binary, no cluster). */
final class Chart {
  static final Path FOLDER = Path.of("rekindle");

  /** Stands for {@code helm.sh/hook} in {@link #renderWithHooks}. */
  static final String HOOK = "example.com/hook";

  private static final Pattern DOCUMENTS = Pattern.compile("(?m)^---\\s*$");

  private final List<JsonNode> documents;

  private Chart(List<JsonNode> documents) {
    this.documents = documents;
  }

  static Helm helm() {
    return helm(FOLDER);
  }

  private static Helm helm(Path folder) {
    Assumptions.assumeTrue(
        System.getProperty("os.name").equals("Linux")
            && System.getProperty("os.arch").equals("amd64"),
        "helm-java's library is on the class path for linux-amd64 only");
    return new Helm(folder);
  }

  /** Renders release {@code rk} in namespace {@code rekindle-system} with more values, as YAML. */
  static Chart render(String values) {
    return render(FOLDER, values);
  }

  /**
   * The same with the hooks, which this library leaves out: in a copy of the chart where they are
   * marked by {@link #HOOK} and so are objects like any other.
   */
  static Chart renderWithHooks(String values) {
    try {
      Path copy = Files.createTempDirectory("chart");
      try {
        try (Stream<Path> files = Files.walk(FOLDER)) {
          for (Path file : files.filter(Files::isRegularFile).toList()) {
            Path target = copy.resolve(FOLDER.relativize(file));
            Files.createDirectories(target.getParent());
            Files.writeString(target, Files.readString(file).replace("helm.sh/hook:", HOOK + ":"));
          }
        }
        return render(copy, values);
      } finally {
        try (Stream<Path> files = Files.walk(copy)) {
          files.sorted(Comparator.reverseOrder()).forEach(file -> file.toFile().delete());
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Chart render(Path folder, String values) {
    try {
      Path file = Files.createTempFile("values", ".yaml");
      Files.writeString(file, values);
      try {
        String manifest =
            helm(folder)
                .template()
                .withName("rk")
                .withNamespace("rekindle-system")
                .withKubeVersion("1.34.0")
                .withValuesFile(file)
                // This library reads the cluster even to render, and there is none.
                .set("crds.mustMatch", false)
                .call();
        List<JsonNode> documents = new ArrayList<>();
        for (String document : DOCUMENTS.splitAsStream(manifest).toList()) {
          JsonNode node = Serialization.unmarshal(document, JsonNode.class);
          if (node != null && node.has("kind")) {
            documents.add(node);
          }
        }
        return new Chart(documents);
      } finally {
        Files.delete(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** {@code Kind/name} of every object. */
  List<String> names() {
    return documents.stream()
        .map(d -> d.get("kind").asText() + "/" + d.at("/metadata/name").asText())
        .toList();
  }

  /** The one object of this kind whose name ends so. */
  JsonNode one(String kind, String suffix) {
    List<JsonNode> found =
        documents.stream()
            .filter(d -> d.get("kind").asText().equals(kind))
            .filter(d -> d.at("/metadata/name").asText().endsWith(suffix))
            .toList();
    assertThat(found).as("%s named *%s in %s", kind, suffix, names()).hasSize(1);
    return found.getFirst();
  }

  /** All objects of this kind. */
  <T extends HasMetadata> List<T> all(Class<T> type) {
    return documents.stream()
        .filter(d -> d.get("kind").asText().equals(HasMetadata.getKind(type)))
        .map(d -> Serialization.unmarshal(d.toString(), type))
        .toList();
  }

  <T extends HasMetadata> T one(Class<T> type, String suffix) {
    return Serialization.unmarshal(one(HasMetadata.getKind(type), suffix).toString(), type);
  }
}
