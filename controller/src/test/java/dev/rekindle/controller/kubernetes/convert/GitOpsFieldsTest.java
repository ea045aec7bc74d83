package dev.rekindle.controller.kubernetes.convert;

import static dev.rekindle.controller.kubernetes.convert.SuspendedJob.JOB;
import static dev.rekindle.controller.kubernetes.convert.SuspendedJob.ORDER;
import static dev.rekindle.controller.kubernetes.convert.SuspendedJob.after;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The fields of a job that Rekindle writes are those that the docs let a GitOps tool ignore. */
class GitOpsFieldsTest {
  private static final Path PAGE = Path.of("..", "docs", "annotations.md");
  private static final Pattern LISTED =
      Pattern.compile("^ +- (\\.(?:metadata|spec)\\S*)$", Pattern.MULTILINE);

  /** Keys below these differ from job to job. */
  private static final Set<String> LEAVES =
      Set.of(
          ".metadata.annotations",
          ".spec.pytorchReplicaSpecs[].template.metadata.annotations",
          ".spec.pytorchReplicaSpecs[].template.spec.affinity",
          ".spec.pytorchReplicaSpecs[].template.spec.containers[].env");

  /** Where the two differ, as paths of jq; replicas and list items are {@code []}. */
  private static void differences(
      @Nullable Object before, @Nullable Object after, String path, Set<String> found) {
    if (Objects.equals(before, after)) {
      return;
    }
    if (LEAVES.contains(path)) {
      found.add(path);
    } else if (before instanceof Map<?, ?> left && after instanceof Map<?, ?> right) {
      Set<Object> keys = new TreeSet<>(left.keySet());
      keys.addAll(right.keySet());
      boolean replicas = path.endsWith("pytorchReplicaSpecs");
      for (Object key : keys) {
        differences(left.get(key), right.get(key), path + (replicas ? "[]" : "." + key), found);
      }
    } else if (before instanceof List<?> left
        && after instanceof List<?> right
        && left.size() == right.size()) {
      for (int i = 0; i < left.size(); i++) {
        differences(left.get(i), right.get(i), path + "[]", found);
      }
    } else if (after instanceof Map<?, ?> right && before == null) {
      differences(Map.of(), right, path, found);
    } else {
      found.add(path);
    }
  }

  @Test
  void shouldListAllFieldsThatARebuildWrites() throws IOException {
    Map<String, @Nullable Object> suspended = Jobs.raw(JOB);
    Map<String, @Nullable Object> running =
        Jobs.raw(JOB.replace("suspend: true", "suspend: false"));
    Set<String> written = new TreeSet<>();
    differences(running, suspended, "", written);
    differences(suspended, after(suspended, ORDER), "", written);

    Set<String> listed =
        LISTED
            .matcher(Files.readString(PAGE))
            .results()
            .map((MatchResult match) -> match.group(1))
            .collect(Collectors.toCollection(TreeSet::new));
    assertThat(listed).containsExactlyInAnyOrderElementsOf(written);
  }
}
