package dev.rekindle.testbed;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The workflows call what a person calls, and nothing that is written for them alone. */
class WorkflowsTest {
  private static final Path FOLDER = Testbed.ROOT.resolve(".github/workflows");

  /** What a line may begin with; the last two are GitHub's own. */
  private static final List<String> COMMANDS =
      List.of("sudo -E .ci/run", "mvn ", "./rekindle package", "cp ", "gh release create");

  private static List<JsonNode> steps() throws IOException {
    List<JsonNode> steps = new ArrayList<>();
    try (Stream<Path> files = Files.list(FOLDER)) {
      for (Path file : files.sorted().toList()) {
        JsonNode jobs = Serialization.unmarshal(Files.readString(file), JsonNode.class).get("jobs");
        assertThat(jobs).as("%s", file).isNotEmpty();
        jobs.forEach(job -> job.get("steps").forEach(steps::add));
      }
    }
    return steps;
  }

  @Test
  void shouldRunTheCommandsOfTheProject() throws IOException {
    List<String> lines =
        steps().stream()
            .filter(step -> step.has("run"))
            .flatMap(step -> step.get("run").asText().lines())
            .map(String::strip)
            .filter(line -> !line.isEmpty())
            .toList();

    assertThat(lines).anyMatch(line -> line.endsWith(".ci/run"));
    assertThat(lines).anyMatch(line -> line.startsWith("./rekindle package --verify"));
    assertThat(lines)
        .allMatch(line -> COMMANDS.stream().anyMatch(line::startsWith), "begins with a command");
  }

  @Test
  void shouldUseActionsOfGithubAlone() throws IOException {
    assertThat(steps().stream().filter(step -> step.has("uses")).map(s -> s.get("uses").asText()))
        .isNotEmpty()
        .allMatch(action -> action.matches("actions/[a-z-]+@v\\d+"));
  }

  /** An address in a workflow would be one more place that a build depends on. */
  @Test
  void shouldNameNoHost() throws IOException {
    try (Stream<Path> files = Files.list(FOLDER)) {
      for (Path file : files.toList()) {
        assertThat(Files.readString(file)).doesNotContain("://").doesNotContain("docker");
      }
    }
  }
}
