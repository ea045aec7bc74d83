package dev.rekindle.charts;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The page of fields is written from the CRDs, so that it cannot lag behind. */
class ApiReferenceTest {
  private static final Path PAGE = Path.of("..", "docs", "reference", "api.md");

  /**
   * What a person reads or writes comes first; the last three are between controller and agents.
   */
  private static final List<String> KINDS =
      List.of(
          "recoverypolicies",
          "recoveries",
          "nodefaults",
          "rankreports",
          "restartorders",
          "restartreports");

  @Test
  void shouldFindThePageAsTheCrdsSay() throws IOException {
    String wanted = page();
    String found = Files.exists(PAGE) ? Files.readString(PAGE) : "";
    if (!found.equals(wanted)) {
      Files.writeString(PAGE, wanted);
    }

    assertThat(found)
        .as("%s has been rewritten: review the difference, commit it, and run again", PAGE)
        .isEqualTo(wanted);
  }

  @Test
  void shouldListEachCrdOfTheChart() throws IOException {
    try (var files = Files.list(Chart.FOLDER.resolve("crds"))) {
      assertThat(files.map(file -> file.getFileName().toString().replace(".yaml", "")))
          .containsExactlyInAnyOrderElementsOf(KINDS);
    }
  }

  private static String page() throws IOException {
    StringBuilder page =
        new StringBuilder(
            """
            # Fields of the API

            The resources of `rekindle.dev/v1alpha1`. Written by the build from the CRDs of the chart; `kubectl explain
            KIND.spec` prints the same. A field `a.b` is the field `b` of the object `a`; `a[].b` is a field of each
            element of the list `a`; `a{}` are the values of the map `a`. Fields in bold are required.
            """);
    for (String kind : KINDS) {
      Path file = Chart.FOLDER.resolve("crds").resolve(kind + ".yaml");
      JsonNode crd = Serialization.unmarshal(Files.readString(file), JsonNode.class);
      JsonNode schema = crd.at("/spec/versions/0/schema/openAPIV3Schema");
      page.append(
          "%n## %s%n%n%s%n"
              .formatted(
                  crd.at("/spec/names/kind").asText(),
                  String.join(
                      "\n",
                      Wrapped.lines(
                          "%s Short name `%s`."
                              .formatted(
                                  sentence(schema.path("description").asText()),
                                  crd.at("/spec/names/shortNames/0").asText()),
                          Wrapped.WIDTH))));
      List<String> rows = new ArrayList<>();
      for (String part : List.of("spec", "status")) {
        rows.addAll(rows(part, schema.path("properties").path(part)));
      }
      page.append(
          "%n| field | type | default | meaning |%n|---|---|---|---|%n%s%n"
              .formatted(String.join("\n", rows)));
    }
    return page.toString();
  }

  /** A row for each field below, in the order of names. */
  private static List<String> rows(String path, JsonNode schema) {
    List<String> rows = new ArrayList<>();
    Set<String> required = new TreeSet<>();
    schema.path("required").forEach(name -> required.add(name.asText()));
    for (Map.Entry<String, JsonNode> field : schema.path("properties").properties()) {
      String name = path + "." + field.getKey();
      JsonNode value = field.getValue();
      rows.add(
          "| %s | %s | %s | %s |"
              .formatted(
                  required.contains(field.getKey()) ? "**`" + name + "`**" : "`" + name + "`",
                  type(value),
                  defaultOf(value),
                  value.path("description").asText().replace("|", "\\|").replace("\n", " ")));
      rows.addAll(rows(name, value));
      rows.addAll(rows(name + "[]", value.path("items")));
      rows.addAll(rows(name + "{}", value.path("additionalProperties")));
    }
    return rows;
  }

  private static String type(JsonNode schema) {
    String type = schema.path("type").asText();
    if (schema.has("enum")) {
      List<String> words = new ArrayList<>();
      schema.path("enum").forEach(word -> words.add("`" + word.asText() + "`"));
      return String.join(", ", words);
    }
    return switch (type) {
      case "array" -> "list of " + type(schema.path("items"));
      case "object" ->
          schema.has("additionalProperties")
              ? "map to " + type(schema.path("additionalProperties"))
              : "object";
      case "string" ->
          schema.has("pattern")
              ? "`" + schema.path("pattern").asText().replace("|", "\\|") + "`"
              : schema.path("format").asText("string");
      default -> type + range(schema);
    };
  }

  private static String range(JsonNode schema) {
    if (!schema.has("minimum") && !schema.has("maximum")) {
      return "";
    }
    return " from %s%s"
        .formatted(
            schema.has("minimum") ? number(schema.path("minimum")) : "any",
            schema.has("maximum") ? " to " + number(schema.path("maximum")) : "");
  }

  private static String number(JsonNode number) {
    return number.decimalValue().stripTrailingZeros().toPlainString();
  }

  private static String defaultOf(JsonNode schema) {
    JsonNode value = schema.path("default");
    return value.isMissingNode() || (value.isObject() && value.isEmpty())
        ? ""
        : "`" + (value.isTextual() ? value.asText() : value.toString()) + "`";
  }

  private static String sentence(String text) {
    return text.lines().map(String::strip).collect(Collectors.joining(" "));
  }
}
