package dev.rekindle.charts;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * An alert of the chart.
 *
 * @param name its name
 * @param expression in PromQL
 * @param after how long it must hold; empty for at once
 * @param severity its label
 * @param summary its annotation
 */
record Alert(String name, String expression, String after, String severity, String summary) {
  static final Path FILE = Chart.FOLDER.resolve("files").resolve("alerts.yaml");

  /** All of the file. */
  static List<Alert> all() throws IOException {
    return of(Serialization.unmarshal(Files.readString(FILE), JsonNode.class));
  }

  /** All of what has groups. */
  static List<Alert> of(JsonNode file) {
    List<Alert> alerts = new ArrayList<>();
    for (JsonNode group : file.get("groups")) {
      for (JsonNode rule : group.get("rules")) {
        alerts.add(
            new Alert(
                rule.get("alert").asText(),
                rule.get("expr").asText(),
                rule.path("for").asText(),
                rule.at("/labels/severity").asText(),
                rule.at("/annotations/summary").asText()));
      }
    }
    return alerts;
  }
}
