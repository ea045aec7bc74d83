package dev.rekindle.controller.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CrdCheckTest {
  private static final Path CHART = Path.of("../charts/rekindle/crds");

  @Test
  void shouldFindNothingWrongWithTheCrdsOfTheChart() throws IOException {
    assertThat(CrdCheck.problem(published())).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "NodeFault, spec, nodeUid",
    "RecoveryPolicy, spec, namespaces",
    "Recovery, status, comeBacks",
  })
  void shouldNameWhatAnOlderReleaseDidNotKnow(String kind, String part, String field)
      throws IOException {
    Map<String, Object> published = published();
    Object properties = at(published, "components", "schemas", "dev.rekindle.v1alpha1." + kind);
    map(at(properties, "properties", part, "properties")).remove(field);

    assertThat(CrdCheck.problem(published))
        .contains("lack %s.%s.%s;".formatted(kind, part, field))
        .contains("kubectl apply --server-side -f charts/rekindle/crds");
  }

  @Test
  void shouldCheckNestedSchemas() throws IOException {
    Map<String, Object> published = published();
    Object status =
        at(
            published,
            "components",
            "schemas",
            "dev.rekindle.v1alpha1.Recovery",
            "properties",
            "status",
            "properties");
    map(at(status, "plan", "properties", "checkpoint", "properties")).remove("rollBack");
    map(at(status, "timeline", "items", "properties")).remove("detail");

    assertThat(CrdCheck.problem(published))
        .contains("Recovery.status.plan.checkpoint.rollBack")
        .contains("Recovery.status.timeline.detail");
  }

  /** The API server publishes a reference beside a default or a description as its only part. */
  @Test
  void shouldCheckTheOnlyPartOfASchema() throws IOException {
    Map<String, Object> published = published();
    Map<String, Object> status =
        map(
            at(
                published,
                "components",
                "schemas",
                "dev.rekindle.v1alpha1.Recovery",
                "properties",
                "status",
                "properties"));
    Object plan = at(status, "plan");
    status.put("plan", Map.of("description", "what is done", "allOf", List.of(plan)));
    assertThat(CrdCheck.problem(published)).isEmpty();

    map(at(plan, "properties")).remove("gangSize");
    assertThat(CrdCheck.problem(published)).contains("lack Recovery.status.plan.gangSize;");
  }

  @Test
  void shouldNameKindsThatAreNotThereAtAll() {
    assertThat(CrdCheck.problem(Map.of())).contains("NodeFault as a whole");
    assertThat(CrdCheck.problem(null)).contains("Recovery as a whole");
  }

  /** As the API server publishes the schemas of the chart's CRDs. */
  private static Map<String, Object> published() throws IOException {
    Map<String, Object> schemas = new HashMap<>();
    try (Stream<Path> files = Files.list(CHART)) {
      for (Path file : files.sorted().toList()) {
        Object crd = Serialization.unmarshal(Files.readString(file), Map.class);
        Object version = ((List<?>) at(crd, "spec", "versions")).getFirst();
        schemas.put(
            "dev.rekindle.v1alpha1." + at(crd, "spec", "names", "kind"),
            at(version, "schema", "openAPIV3Schema"));
      }
    }
    return Map.of("components", Map.of("schemas", schemas));
  }

  private static Object at(@Nullable Object tree, String... path) {
    Object found = tree;
    for (String key : path) {
      found = map(Objects.requireNonNull(found)).get(key);
    }
    return Objects.requireNonNull(found);
  }

  @SuppressWarnings("unchecked")
  private static Map<String, Object> map(Object tree) {
    return (Map<String, Object>) tree;
  }

  /** An exception would end the checks of this process: the timer makes no more of them. */
  @ParameterizedTest
  @ValueSource(strings = {"upstream: reset: refused", "<html>", "[]", "1", "{", ""})
  void shouldSurviveAnAnswerThatMakesNoSense(String answer) {
    KubernetesClient client =
        (KubernetesClient)
            Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {KubernetesClient.class},
                (_, _, _) -> answer);
    assertThatCode(() -> new CrdCheck().check(client)).doesNotThrowAnyException();
  }
}
