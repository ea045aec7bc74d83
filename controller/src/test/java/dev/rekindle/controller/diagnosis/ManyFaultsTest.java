package dev.rekindle.controller.diagnosis;

import static dev.rekindle.controller.Given.T0;
import static dev.rekindle.controller.Given.fault;
import static dev.rekindle.controller.Given.node;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.controller.model.FaultView;
import dev.rekindle.controller.model.FaultView.Incident;
import dev.rekindle.controller.model.Policy;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What it costs to weigh as many faults of a node as are read, each with as much as it may say. */
class ManyFaultsTest {
  private static List<Incident> incidents(int fault) {
    List<Incident> all = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      Instant at = T0.minus(Duration.ofMinutes(10 + i));
      all.add(
          new Incident(
              at,
              at,
              1,
              "",
              "team-" + fault,
              "p",
              "uid-" + fault + "-" + i,
              "boot",
              "owner-" + fault,
              "",
              "",
              List.of()));
    }
    return all;
  }

  @Test
  void shouldWeighAllFaultsOfANodeInTime() {
    List<FaultView> faults = new ArrayList<>();
    for (int i = 0; i < 768; i++) {
      faults.add(
          fault("n", "XID-31", FenceGuidance.THRESHOLD)
              .withName("f" + i)
              .withComponent("GPU 0000:%02x:%02x".formatted(i / 256, i % 256))
              .withIncidents(incidents(i)));
    }
    NodeSnapshot s = new NodeSnapshot(node("n"), faults, List.of(), List.of());
    ThreadMXBean cpu = ManagementFactory.getThreadMXBean();
    long begin = cpu.getCurrentThreadCpuTime();
    for (int i = 0; i < 10; i++) {
      assertThat(NodeVerdicts.weigh(s, Policy.DEFAULT, T0)).hasSize(768);
    }
    assertThat(Duration.ofNanos(cpu.getCurrentThreadCpuTime() - begin))
        .as("each job on the node and the node itself do that with each change")
        .isLessThan(Duration.ofSeconds(2));
  }
}
