package dev.rekindle.watch;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.rekindle.api.NodeFault;
import dev.rekindle.api.RankEvidence;
import dev.rekindle.api.RankReport;
import dev.rekindle.api.Recovery;
import dev.rekindle.api.RecoveryPolicy;
import dev.rekindle.api.RestartOrder;
import dev.rekindle.api.RestartReport;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Objects of a newer release, in which each word of a closed vocabulary is one that this release
 * does not know. CRDs are upgraded before controllers and agents are.
 */
class NewerWordsTest {
  private static final String WORD = "OfANewerRelease";
  private static final Path CRDS = Path.of("../charts/rekindle/crds");
  private static final KubernetesSerialization JSON = StoredJson.ofAllTypes();
  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

  /** Makes an object with each field of a schema, and counts the words in it. */
  private static final class Filler {
    private int words;

    private JsonNode fill(JsonNode schema) {
      if (schema.has("enum")) {
        words++;
        return NODES.textNode(WORD);
      }
      return switch (schema.path("type").asText("")) {
        case "object" -> object(schema);
        case "array" -> NODES.arrayNode().add(fill(schema.path("items")));
        case "integer" -> NODES.numberNode(1);
        case "number" -> NODES.numberNode(1.5);
        case "boolean" -> NODES.booleanNode(true);
        default ->
            NODES.textNode(
                schema.path("format").asText().equals("date-time") ? "2026-11-28T06:00:00Z" : "a");
      };
    }

    private ObjectNode object(JsonNode schema) {
      ObjectNode object = NODES.objectNode();
      schema
          .path("properties")
          .properties()
          .forEach(p -> object.set(p.getKey(), fill(p.getValue())));
      if (schema.path("additionalProperties").isObject()) {
        object.set("a", fill(schema.path("additionalProperties")));
      }
      return object;
    }
  }

  static Stream<Named<Class<? extends CustomResource<?, ?>>>> kinds() {
    return Stream.<Class<? extends CustomResource<?, ?>>>of(
            NodeFault.class,
            RankReport.class,
            Recovery.class,
            RecoveryPolicy.class,
            RestartOrder.class,
            RestartReport.class)
        .map(kind -> Named.of(kind.getSimpleName(), kind));
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void shouldReadAnObjectWhoseWordsItDoesNotKnow(Class<? extends CustomResource<?, ?>> kind)
      throws IOException {
    var filler = new Filler();
    JsonNode schema = crd(kind).at("/spec/versions/0/schema/openAPIV3Schema");
    ObjectNode object = (ObjectNode) filler.fill(schema);
    object
        .put("apiVersion", "rekindle.dev/v1alpha1")
        .put("kind", kind.getSimpleName())
        .set("metadata", NODES.objectNode().put("name", "a"));

    CustomResource<?, ?> read =
        JSON.unmarshal(
            new ByteArrayInputStream(object.toString().getBytes(StandardCharsets.UTF_8)), kind);

    assertThat(filler.words).as("words of the schema").isPositive();
    assertThat(read.getSpec()).isNotNull();
  }

  @Test
  void shouldPassOverALineOfAKindThatItDoesNotKnow() {
    var read =
        JSON.unmarshal(
            """
            {"pod": "p", "lines": [{"kind": "%s", "text": "a"}, {"kind": "GilStuck", "text": "b"}]}
            """
                .formatted(WORD),
            RankEvidence.class);
    assertThat(read.lines()).extracting(RankEvidence.Line::text).containsExactly("b");
  }

  private static JsonNode crd(Class<?> kind) throws IOException {
    Path file =
        CRDS.resolve(
            kind.getSimpleName().toLowerCase(Locale.ROOT).replaceAll("y$", "ie") + "s.yaml");
    return JSON.unmarshal(Files.readString(file), JsonNode.class);
  }
}
