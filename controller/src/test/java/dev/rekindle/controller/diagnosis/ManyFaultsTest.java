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

  /**
   * Each job on the node and the node itself do that with each change. Compared with every other
   * one, they would take sixteen times as long.
   */
  @Test
  void shouldWeighFourTimesAsManyFaultsInLittleMoreThanFourTimesTheTime() {
    NodeSnapshot all = snapshot(768);
    NodeSnapshot some = snapshot(192);
    // Until what it runs is compiled.
    var _ = cost(all);
    assertThat(cost(all)).isLessThan(10 * cost(some));
  }

  /** Processor time of its own thread in nanoseconds: the least of some rounds. */
  private static long cost(NodeSnapshot s) {
    ThreadMXBean cpu = ManagementFactory.getThreadMXBean();
    long least = Long.MAX_VALUE;
    for (int i = 0; i < 10; i++) {
      long begin = cpu.getCurrentThreadCpuTime();
      assertThat(NodeVerdicts.weigh(s, Policy.DEFAULT, T0)).hasSameSizeAs(s.faults());
      least = Math.min(least, cpu.getCurrentThreadCpuTime() - begin);
    }
    return least;
  }

  private static NodeSnapshot snapshot(int count) {
    List<FaultView> faults = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      faults.add(
          fault("n", "XID-31", FenceGuidance.THRESHOLD)
              .withName("f" + i)
              .withComponent("GPU 0000:%02x:%02x".formatted(i / 256, i % 256))
              .withIncidents(incidents(i)));
    }
    return new NodeSnapshot(node("n"), faults, List.of(), List.of());
  }
}
