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
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What Grafana would only say by an empty panel. Names of metrics are checked elsewhere. */
class DashboardTest {
  private static final Pattern SHOWN = Pattern.compile("\\{\\{\\s*(\\w+)\\s*}}");
  private static final Pattern KEPT = Pattern.compile("by \\(([^)]*)\\)");
  private static final JsonNode DASHBOARD = read();

  private static JsonNode read() {
    try {
      return Serialization.unmarshal(
          Files.readString(Chart.FOLDER.resolve("files/dashboard.json")), JsonNode.class);
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private static Stream<JsonNode> elements(String pointer) {
    return Stream.of(DASHBOARD.at(pointer)).flatMap(all -> list(all).stream());
  }

  private static List<JsonNode> list(JsonNode array) {
    List<JsonNode> list = new ArrayList<>();
    array.forEach(list::add);
    return list;
  }

  /** An expression, and the text in which labels of its series stand. */
  private static Map<String, String> texts() {
    Map<String, String> texts =
        elements("/panels")
            .flatMap(panel -> list(panel.path("targets")).stream())
            .collect(
                Collectors.toMap(
                    t -> t.path("expr").asText(), t -> t.path("legendFormat").asText()));
    elements("/annotations/list")
        .forEach(a -> texts.put(a.path("expr").asText(), a.path("textFormat").asText()));
    return texts;
  }

  @Test
  void shouldShowNoLabelThatItsExpressionDrops() {
    assertThat(texts()).hasSizeGreaterThan(15).doesNotContainKey("");
    texts()
        .forEach(
            (expression, text) -> {
              Set<String> kept =
                  KEPT.matcher(expression)
                      .results()
                      .flatMap(by -> Stream.of(by.group(1).split(",", -1)))
                      .map(String::strip)
                      .collect(Collectors.toSet());
              Set<String> shown =
                  SHOWN
                      .matcher(text)
                      .results()
                      .map(match -> match.group(1))
                      .collect(Collectors.toSet());
              assertThat(kept).as("%s: %s", expression, text).containsAll(shown);
            });
  }

  @Test
  void shouldTakeItsDataFromTheSourceThatAPersonChooses() {
    assertThat(DASHBOARD.at("/templating/list/0/name").asText()).isEqualTo("datasource");
    Stream.concat(elements("/panels"), elements("/annotations/list"))
        .forEach(
            part ->
                assertThat(part.at("/datasource/uid").asText())
                    .as(part.toString())
                    .isEqualTo("${datasource}"));
  }

  @Test
  void shouldPlaceEachPanelByItself() {
    List<JsonNode> panels = elements("/panels").toList();
    assertThat(panels).extracting(p -> p.path("id").asInt()).doesNotHaveDuplicates();
    List<String> cells =
        panels.stream()
            .map(p -> p.path("gridPos"))
            .flatMap(
                at ->
                    Stream.iterate(
                            0, i -> i < at.path("w").asInt() * at.path("h").asInt(), i -> i + 1)
                        .map(
                            i ->
                                (at.path("x").asInt() + i % at.path("w").asInt())
                                    + ","
                                    + (at.path("y").asInt() + i / at.path("w").asInt())))
            .toList();
    assertThat(cells).isNotEmpty().doesNotHaveDuplicates();
    assertThat(cells).allMatch(cell -> Integer.parseInt(cell.split(",", 2)[0]) < 24);
  }

  @Test
  void shouldAskWhatPrometheusUnderstands(@TempDir Path folder) throws Exception {
    StringBuilder rules = new StringBuilder("groups:\n- name: dashboard\n  rules:\n");
    int number = 0;
    for (String expression : texts().keySet()) {
      rules
          .append("  - record: dashboard:panel")
          .append(number++)
          .append("\n    expr: '")
          .append(expression.replace("'", "''"))
          .append("'\n");
    }
    Files.writeString(folder.resolve("rules.yaml"), rules);
    Promtool.run(folder, "check", "rules", "rules.yaml");
  }
}
