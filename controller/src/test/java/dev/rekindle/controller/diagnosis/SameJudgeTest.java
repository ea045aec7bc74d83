package dev.rekindle.controller.diagnosis;

import static dev.rekindle.controller.Given.node;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.rekindle.api.NodeFaultSpec;
import dev.rekindle.api.NodeFaultSpec.ComponentType;
import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.api.NodeFaultStatus;
import dev.rekindle.cli.CommandTree;
import dev.rekindle.controller.model.FaultView;
import dev.rekindle.controller.model.FaultView.Incident;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.detect.fault.AffectedPod;
import dev.rekindle.detect.fault.FaultObservation;
import dev.rekindle.detect.fault.Incidents;
import dev.rekindle.detect.judge.JudgeMain;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.junit.jupiter.api.Test;

/** {@code rekindle judge} says of a log what the controller says of the facts in it. */
class SameJudgeTest {
  private static final Instant BOOT = Instant.parse("2026-01-01T00:00:00Z");

  /** A line, and the facts that an agent makes of it; each process is one of its own namespace. */
  private record Line(String code, String gpu, String unit, String process, long second) {
    String text() {
      return "[%5d.000000] NVRM: Xid (PCI:%s): %s, pid=7, name=%s, Graphics SM Warp Exception on (%s, SM 0)"
          .formatted(second, gpu, code, process, unit.replace(" TPC", ", TPC"));
    }

    FaultObservation observation() {
      Instant time = BOOT.plusSeconds(second);
      return new FaultObservation(
          new NodeFaultSpec(
              "n-1",
              ComponentType.GPU,
              gpu,
              "XID-" + code,
              "kmsg",
              FenceGuidance.THRESHOLD,
              "",
              "boot-1",
              time,
              ""),
          second,
          time,
          code.equals("13") ? unit : "",
          new AffectedPod("team", process, process, process, process));
    }
  }

  @Test
  void shouldSayTheSameOfALogAsOfTheFactsInIt() throws IOException {
    RandomGenerator random = RandomGeneratorFactory.of("L64X128MixRandom").create(1);
    int fences = 0;
    for (int round = 0; round < 400; round++) {
      List<Line> lines = lines(random);
      boolean fencing = ofTheLog(lines).getLast().get("verdict").asText().equals("fence");
      fences += fencing ? 1 : 0;

      assertThat(fencing).as("%s", lines).isEqualTo(ofTheFacts(lines));
    }
    assertThat(fences).isBetween(10, 390);
  }

  private static List<Line> lines(RandomGenerator random) {
    List<Line> lines = new ArrayList<>();
    long second = 0;
    for (int i = 1 + random.nextInt(10); i > 0; i--) {
      second += random.nextInt(20_000);
      lines.add(
          new Line(
              List.of("13", "31", "32", "69", "109", "63", "92", "155").get(random.nextInt(8)),
              "0000:%02x:00".formatted(random.nextInt(2)),
              "GPC 0 TPC " + random.nextInt(2),
              "p" + random.nextInt(2),
              second));
    }
    return lines;
  }

  private static List<JsonNode> ofTheLog(List<Line> lines) throws IOException {
    StringBuilder log = new StringBuilder();
    lines.forEach(line -> log.append(line.text()).append('\n'));
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    PrintStream print = new PrintStream(out, true, StandardCharsets.UTF_8);
    assertThat(
            CommandTree.run(
                new JudgeMain(
                    new ByteArrayInputStream(log.toString().getBytes(StandardCharsets.UTF_8)),
                    print),
                List.of("-", "--json"),
                print,
                print))
        .isZero();
    List<JsonNode> all = new ArrayList<>();
    for (String json : out.toString(StandardCharsets.UTF_8).lines().toList()) {
      all.add(new ObjectMapper().readTree(json));
    }
    return all;
  }

  /** Whether the fault of the last line fences once its burst is over. */
  private static boolean ofTheFacts(List<Line> lines) {
    Map<String, List<FaultObservation>> byFault = new LinkedHashMap<>();
    lines.forEach(
        line ->
            byFault
                .computeIfAbsent(line.observation().name(), _ -> new ArrayList<>())
                .add(line.observation()));
    List<FaultView> faults = byFault.values().stream().map(SameJudgeTest::fault).toList();
    NodeSnapshot s = new NodeSnapshot(node("n-1"), faults, List.of(), List.of());
    Instant over = BOOT.plusSeconds(lines.getLast().second()).plus(Duration.ofMinutes(3));
    return NodeVerdicts.weigh(s, Policy.DEFAULT, over).stream()
        .filter(f -> f.name().equals(lines.getLast().observation().name()))
        .anyMatch(FaultView::fences);
  }

  private static FaultView fault(List<FaultObservation> observations) {
    List<NodeFaultStatus.Incident> incidents = List.of();
    for (FaultObservation observation : observations) {
      incidents = Incidents.merge(incidents, Incidents.of(observation));
    }
    NodeFaultSpec spec = observations.getFirst().fault();
    return new FaultView(
        observations.getFirst().name(),
        spec.node(),
        "GPU " + spec.componentId(),
        spec.code(),
        spec.fence(),
        true,
        observations.size(),
        observations.getLast().time(),
        "",
        "kmsg",
        "",
        spec.bootId(),
        "",
        incidents.stream().map(i -> Incident.of(i, Objects.requireNonNull(i.lastSeen()))).toList(),
        null,
        "",
        "");
  }
}
