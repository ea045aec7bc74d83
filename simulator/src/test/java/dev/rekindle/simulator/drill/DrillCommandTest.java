package dev.rekindle.simulator.drill;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** How drills end. */
class DrillCommandTest {
  private static final int SEEDS = 8;

  private static final Map<Scenario, List<String>> CAUSES =
      Map.ofEntries(
          Map.entry(Scenario.GPU_LOST, List.of("XID-79")),
          Map.entry(Scenario.ECC, List.of("XID-95")),
          Map.entry(Scenario.NIC_DOWN, List.of("NIC-PORT-DOWN")),
          Map.entry(Scenario.LEAF_DOWN, List.of("NIC-PORT-DOWN")),
          Map.entry(Scenario.NODE_DEAD, List.of("NodeSilent")),
          Map.entry(Scenario.HANG, List.of("Stalled")),
          Map.entry(Scenario.TORN_CHECKPOINT, List.of("XID-79")),
          Map.entry(Scenario.CRASH_LOOP, List.of("PodFailed", "JobFailed")),
          Map.entry(Scenario.REBUILD, List.of("XID-79")),
          Map.entry(Scenario.AGENT_KILLED, List.of("XID-79")),
          Map.entry(Scenario.CONTROLLER_KILLED, List.of("XID-79")));

  static Stream<Arguments> everyScenarioOnSeveralSeeds() {
    return Stream.of(Scenario.values())
        .flatMap(s -> Stream.iterate(1, i -> i <= SEEDS, i -> i + 1).map(i -> Arguments.of(s, i)));
  }

  @ParameterizedTest(name = "{0}, seed {1}")
  @MethodSource("everyScenarioOnSeveralSeeds")
  void shouldRecoverAndNameTheRightCause(Scenario scenario, int seed) {
    DrillRun run = DrillRun.of("--json", "--scenario", scenario.word(), "--seed", "" + seed);
    assertThat(run.code()).as(run.out()).isZero();
    assertThat(run.status().at("/phase").asText()).isEqualTo("Recovered");
    assertThat(CAUSES.get(scenario)).contains(run.status().at("/cause/reason").asText());
    assertThat(run.err()).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(
      value = Scenario.class,
      names = {"GPU_LOST", "REBUILD", "ECC", "NIC_DOWN", "TORN_CHECKPOINT", "AGENT_KILLED"})
  void shouldExcludeTheFaultyNodeAndNoOther(Scenario scenario) {
    JsonNode status = DrillRun.of("--json", "--scenario", scenario.word()).status();
    assertThat(texts(status.at("/cause/faultyNodes"))).hasSize(1);
    assertThat(texts(status.at("/plan/excludedNodes")))
        .isEqualTo(texts(status.at("/cause/faultyNodes")));
  }

  @ParameterizedTest
  @EnumSource(
      value = Scenario.class,
      names = {"GPU_LOST", "NIC_DOWN", "AGENT_KILLED", "CONTROLLER_KILLED"})
  void shouldReplaceOnePodAndKeepTheOthersWhereTheyAre(Scenario scenario) {
    DrillRun run = DrillRun.of("--json", "--scenario", scenario.word());
    assertThat(run.status().at("/plan/restart").asText()).isEqualTo("InPlace");
    assertThat(run.status().at("/plan/restartReason").asText())
        .isEqualTo("23 of 24 pods stay where they are");
    assertThat(run.status().at("/attempt").asInt()).isEqualTo(1);
    assertThat(run.out()).contains("23 containers restarted in place").doesNotContain("suspend");
  }

  /** Of single seeds one in five says otherwise: how long pods take to start is drawn. */
  @Test
  void shouldTakeLongerToRebuildTheGangThanToRestartItInPlace() {
    assertThat(downtimes("gpu-lost")).isLessThan(downtimes("rebuild"));
  }

  private static double downtimes(String scenario) {
    return IntStream.rangeClosed(1, 10).mapToDouble(seed -> downtime(scenario, seed)).sum();
  }

  private static double downtime(String scenario, int seed) {
    return DrillRun.of("--json", "--scenario", scenario, "--seed", "" + seed)
        .status()
        .at("/outcome/downtimeSeconds")
        .asDouble();
  }

  @Test
  void shouldExcludeTheWholeLeafWhenItsSwitchDies() {
    JsonNode status = DrillRun.of("--json", "--scenario", "leaf-down").status();
    List<String> excluded = texts(status.at("/plan/excludedNodes"));
    assertThat(excluded).isNotEmpty();
    assertThat(excluded.stream().map(n -> Integer.parseInt(n.substring(5)) / 4).distinct())
        .as("all on one leaf")
        .hasSize(1);
  }

  @ParameterizedTest
  @EnumSource(
      value = Scenario.class,
      names = {"NODE_DEAD", "HANG", "CRASH_LOOP"})
  void shouldFenceNoNodeWhenThereIsNoHardwareWitness(Scenario scenario) {
    DrillRun run = DrillRun.of("--json", "--scenario", scenario.word());
    assertThat(texts(run.status().at("/cause/faultyNodes"))).isEmpty();
    assertThat(run.out()).doesNotContain("fenced").doesNotContain("cordon");
  }

  @Test
  void shouldExcludeTheNodeThatWentSilent() {
    JsonNode status = DrillRun.of("--json", "--scenario", "node-dead").status();
    assertThat(texts(status.at("/plan/excludedNodes"))).hasSize(1);
    assertThat(texts(status.at("/cause/silentNodes"))).hasSize(1);
  }

  @Test
  void shouldCountFromTheFaultAndNotOnlyFromItsDetection() {
    List<JsonNode> lines = DrillRun.of("--json", "--scenario", "hang").lines();
    JsonNode summary = lines.get(lines.size() - 2).get("summary");
    double down = summary.at("/secondsFromFaultToStep").asDouble();
    assertThat(down - summary.at("/downtimeSeconds").asDouble())
        .as("learnt: half a minute, and a report")
        .isBetween(30.0, 36.0);
    assertThat(lines)
        .as("when it trains again")
        .anyMatch(
            l ->
                l.at("/text").asText().startsWith("trains again") && l.at("/t").asDouble() == down);
  }

  @Test
  void shouldSayWhichCheckpointWasPassedOver() {
    JsonNode pin =
        DrillRun.of("--json", "--scenario", "torn-checkpoint").status().at("/plan/checkpoint");
    assertThat(pin.at("/step").asLong()).isEqualTo(2L * DrillSetup.CHECKPOINT_EVERY);
    assertThat(pin.at("/message").asText())
        .contains("passed over step " + 3 * DrillSetup.CHECKPOINT_EVERY);
  }

  @Test
  void shouldCountTheAttemptsOfACrashLoop() {
    JsonNode status = DrillRun.of("--json", "--scenario", "crash-loop").status();
    assertThat(status.at("/attempt").asInt()).isEqualTo(3);
  }

  @Test
  void shouldKillTheControllerTwice() {
    List<JsonNode> killed =
        DrillRun.of("--json", "--scenario", "controller-killed").lines().stream()
            .filter(l -> l.at("/kind").asText().equals("fault"))
            .toList();
    assertThat(killed).as("the GPU, and the leader twice").hasSize(3);
    assertThat(killed.get(1).at("/t").asDouble()).isLessThan(killed.get(2).at("/t").asDouble());
  }

  @Test
  void shouldFailWithoutRekindle() {
    DrillRun run = DrillRun.of("--without-rekindle");
    assertThat(run.code()).isEqualTo(1);
    assertThat(run.out()).contains("NOT RECOVERED").doesNotContain("past step");
  }

  @Test
  void shouldShowWhatBecomesOfAJobWithoutRekindle() {
    DrillRun run = DrillRun.of("--without-rekindle", "--scenario", "crash-loop");
    assertThat(run.out())
        .contains("the training operator calls it Failed")
        .contains("its process ended with code 1, and those of 22 others");
  }

  @ParameterizedTest
  @EnumSource(Scenario.class)
  void shouldFailInEveryScenarioWithoutRekindle(Scenario scenario) {
    DrillRun run = DrillRun.of("--without-rekindle", "--json", "--scenario=" + scenario.word());
    assertThat(run.code()).isEqualTo(1);
    assertThat(run.lines().getLast().at("/summary/recovered").asBoolean(true)).isFalse();
  }

  private static List<String> texts(JsonNode array) {
    return StreamSupport.stream(array.spliterator(), false).map(JsonNode::asText).toList();
  }
}
