package dev.rekindle.simulator.drill;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What a drill prints. */
class DrillOutputTest {
  @Test
  void shouldPrintTheSameWhenTheSeedIsTheSame() {
    assertThat(printed("7")).isEqualTo(printed("7")).isNotEqualTo(printed("8"));
  }

  private static List<String> printed(String seed) {
    return DrillRun.of("--json", "--seed", seed)
        .out()
        .lines()
        .filter(l -> !l.startsWith("{\"summary\""))
        .toList();
  }

  @Test
  void shouldPrintOneObjectPerLineAndTheRecoveryLastWhenRequestedJson() {
    List<JsonNode> lines = DrillRun.of("--json").lines();
    List<JsonNode> happenings = lines.subList(0, lines.size() - 2);
    assertThat(happenings)
        .isNotEmpty()
        .allMatch(
            l ->
                l.at("/t").isNumber()
                    && l.at("/kind").isTextual()
                    && l.at("/subject").isTextual()
                    && l.at("/text").isTextual());
    assertThat(happenings)
        .extracting(l -> l.at("/t").asDouble())
        .isSorted()
        .as("the fault is at zero")
        .contains(0.0);
    assertThat(happenings).as("before the fault, too").anyMatch(l -> l.at("/t").asDouble() < 0);
    assertThat(lines.get(lines.size() - 2).at("/summary/recovered").asBoolean()).isTrue();
    assertThat(lines.getLast().at("/recovery/kind").asText()).isEqualTo("Recovery");
    assertThat(lines.getLast().at("/recovery/apiVersion").asText())
        .isEqualTo("rekindle.dev/v1alpha1");
  }

  @Test
  void shouldShowTheRecoveryAndTheOutcomeWhenAPersonReads() {
    DrillRun run = DrillRun.of("--scenario", "rebuild");
    assertThat(run.code()).isZero();
    assertThat(run.out())
        .contains("\nkind: Recovery\n")
        .contains("\n  phase: Recovered\n")
        .contains("RECOVERED: down for ")
        .contains("24 of 24 pods Ready");
  }

  @Test
  void shouldShowARecoveryThatReadsBackAsTheSame() throws IOException {
    String text = DrillRun.of().out();
    String yaml = text.substring(text.indexOf("apiVersion:"), text.indexOf("\n\nRECOVERED"));
    JsonNode read = new YAMLMapper().readTree(yaml);
    assertThat(read).isEqualTo(DrillRun.of("--json").lines().getLast().get("recovery"));
    // To YAML 1.1, which kubectl reads, a bare True is no string, and neither is a bare time.
    assertThat(yaml).contains("status: \"True\"").containsPattern("phaseSince: \"2026-.*Z\"");
  }

  @Test
  void shouldSayHowFarTheReplacementIs() {
    JsonNode status = DrillRun.of("--json").status();

    assertThat(status.at("/plan/placement/levels/0").asText()).isEqualTo(DrillSetup.LEAF);
    assertThat(status.toString()).doesNotContain("distance unknown", "no label says");
  }

  @Test
  void shouldUseNoEscapesWithoutATerminal() {
    assertThat(DrillRun.of().out()).doesNotContain("\u001b");
  }

  @Test
  void shouldUseColoursOnATerminalUnlessSetOtherwise() {
    Terminal colours = new Terminal(true, true);
    assertThat(DrillRun.on(colours, "--fast").out()).contains("\u001b[");
    assertThat(DrillRun.on(colours, "--fast", "--no-color").out()).doesNotContain("\u001b");
    assertThat(DrillRun.on(colours, "--fast", "--json").out()).doesNotContain("\u001b");
  }

  @Test
  void shouldListEveryScenarioNameFirst() {
    assertThat(DrillRun.of("--list").out().lines().map(l -> l.split(" ", 2)[0]))
        .containsExactlyElementsOf(Stream.of(Scenario.values()).map(Scenario::word).toList());
  }

  @Test
  void shouldNameWhatExistsWhenTheScenarioDoesNot() {
    DrillRun run = DrillRun.of("--scenario", "earthquake");
    assertThat(run.code()).isEqualTo(2);
    assertThat(run.out()).isEmpty();
    assertThat(run.err()).contains("earthquake").contains("gpu-lost, ecc, nic-down");
  }

  @Test
  void shouldTakeValuesInBothForms() {
    assertThat(DrillRun.of("--json", "--scenario", "ecc", "--seed", "3").status())
        .isEqualTo(DrillRun.of("--json", "--scenario=ecc", "--seed=3").status())
        .isNotEqualTo(DrillRun.of("--json", "--scenario=ecc", "--seed=4").status());
  }

  @ParameterizedTest
  @MethodSource("nonsense")
  void shouldRefuseWhatMakesNoSense(List<String> args) {
    DrillRun run = DrillRun.of(args.toArray(String[]::new));
    assertThat(run.code()).isEqualTo(2);
    assertThat(run.err()).contains("--help");
  }

  static Stream<List<String>> nonsense() {
    return Stream.of(
        List.of("--scenario"),
        List.of("--seed", "soon"),
        List.of("--seed="),
        List.of("--loud"),
        List.of("--json=yes"),
        List.of("gpu-lost"));
  }
}
