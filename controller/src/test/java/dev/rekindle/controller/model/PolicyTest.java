package dev.rekindle.controller.model;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.rekindle.controller.Policies;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class PolicyTest {
  private static final Path CRD = Path.of("../charts/rekindle/crds/recoverypolicies.yaml");

  /** What the API server makes of an empty object: defaults are filled in from outside inwards. */
  private static JsonNode defaulted(JsonNode schema) {
    if (schema.has("default") && !schema.path("default").isObject()) {
      return schema.path("default");
    }
    ObjectNode object = JsonNodeFactory.instance.objectNode();
    schema
        .path("properties")
        .properties()
        .forEach(
            property -> {
              if (property.getValue().has("default")) {
                object.set(property.getKey(), defaulted(property.getValue()));
              }
            });
    return object;
  }

  @Test
  void shouldBeTheOneThatTheApiServerShowsWhereNothingIsSet() throws IOException {
    JsonNode spec =
        Serialization.unmarshal(Files.readString(CRD), JsonNode.class)
            .at("/spec/versions/0/schema/openAPIV3Schema/properties/spec");

    String shown = defaulted(spec).toString();

    assertThat(shown).contains("maxRestarts", "owners", "rdma/*");
    assertThat(Policies.ofYaml(shown)).isEqualTo(Policy.DEFAULT);
  }
}
