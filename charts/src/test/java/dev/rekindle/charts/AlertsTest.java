package dev.rekindle.charts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.rekindle.detect.knowledge.Kind;
import dev.rekindle.detect.knowledge.Knowledge;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The alerts: each is explained, tried by Prometheus' own checker, and rendered with its links. */
class AlertsTest {
  private static final Path CASES = Path.of("src/test/promtool/alerts_test.yaml");

  @TempDir private Path folder;

  private static List<String> names() throws IOException {
    return Alert.all().stream().map(Alert::name).toList();
  }

  @Test
  void shouldExplainEachAlert() throws IOException {
    assertThat(Knowledge.shipped().gaps(Kind.ALERT, names())).isEmpty();
    assertThat(Alert.all())
        .allSatisfy(
            alert -> {
              assertThat(alert.severity()).as(alert.name()).isIn("critical", "warning", "info");
              assertThat(alert.summary()).as(alert.name()).isNotEmpty();
            });
  }

  /** With what must be quiet while all is well, so that no alert is left out of either. */
  @Test
  void shouldHaveACaseForEachAlertInWhichItFiresAndOneInWhichItDoesNot() throws IOException {
    Set<String> fired = new TreeSet<>();
    Set<String> quiet = new TreeSet<>();
    JsonNode cases = Serialization.unmarshal(Files.readString(CASES), JsonNode.class);
    for (JsonNode test : cases.get("tests")) {
      for (JsonNode expected : test.get("alert_rule_test")) {
        (expected.get("exp_alerts").isEmpty() ? quiet : fired)
            .add(expected.get("alertname").asText());
      }
    }

    assertThat(fired).as("fired in %s", CASES).containsExactlyInAnyOrderElementsOf(names());
    assertThat(quiet).as("quiet in %s", CASES).containsExactlyInAnyOrderElementsOf(names());
  }

  @Test
  void shouldFireEachAlertInPrometheusOwnChecker() throws IOException, InterruptedException {
    Files.copy(Alert.FILE, folder.resolve("alerts.yaml"));
    Files.copy(CASES, folder.resolve("alerts_test.yaml"));

    Promtool.run(folder, "check", "rules", "--lint=all", "--lint-fatal", "alerts.yaml");
    Promtool.run(folder, "test", "rules", "alerts_test.yaml");
  }

  @Test
  void shouldRenderTheAlertsWithLinksToTheirRunbooks() throws IOException, InterruptedException {
    JsonNode rule =
        Chart.render(
                """
                alerts: {enabled: true, runbookUrl: "https://docs.example/runbooks/", labels: {release: prom}}
                """)
            .one("PrometheusRule", "rk");

    assertThat(rule.at("/metadata/labels/release").asText()).isEqualTo("prom");
    assertThat(Alert.of(rule.get("spec"))).isEqualTo(Alert.all());
    for (JsonNode group : rule.at("/spec/groups")) {
      for (JsonNode alert : group.get("rules")) {
        String name = alert.get("alert").asText();
        assertThat(alert.at("/annotations/runbook").asText())
            .isEqualTo("kubectl rekindle explain " + name);
        assertThat(alert.at("/annotations/runbook_url").asText())
            .isEqualTo("https://docs.example/runbooks/" + name + ".md");
        assertThat(RunbooksTest.FOLDER.resolve(name + ".md")).exists();
      }
    }
    Files.writeString(folder.resolve("rendered.yaml"), Serialization.asYaml(rule.get("spec")));
    Promtool.run(folder, "check", "rules", "rendered.yaml");
  }

  @Test
  void shouldNotWaitForReportsWhereThereAreNoAgents() {
    assertThat(
            Chart.render("alerts: {enabled: true}\nagent: {enabled: false}")
                .one("PrometheusRule", "rk")
                .toString())
        .contains("RekindleNoLeader")
        .doesNotContain("RekindleAgentSilent");
  }

  @Test
  void shouldCreateNoneByDefaultAndTakeNoAddressThatIsNone() {
    assertThat(Chart.render("{}").names())
        .noneMatch(name -> name.startsWith("PrometheusRule/") || name.endsWith("-dashboard"));
    assertThat(Chart.render("alerts: {enabled: true}").one("PrometheusRule", "rk").toString())
        .doesNotContain("runbook_url");
    assertThatThrownBy(() -> Chart.render("alerts: {enabled: true, runbookUrl: docs/runbooks}"))
        .hasMessageContaining("runbookUrl");
  }

  @Test
  void shouldRenderTheDashboardAsItsFileSays() throws IOException {
    JsonNode map = Chart.render("dashboard: {enabled: true}").one("ConfigMap", "-dashboard");
    Path file = Chart.FOLDER.resolve("files").resolve("dashboard.json");

    assertThat(map.at("/metadata/labels/grafana_dashboard").asText()).isEqualTo("1");
    assertThat(Serialization.unmarshal(map.at("/data/rekindle.json").asText(), JsonNode.class))
        .isEqualTo(Serialization.unmarshal(Files.readString(file), JsonNode.class));
  }
}
