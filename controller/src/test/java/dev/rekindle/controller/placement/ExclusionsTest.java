package dev.rekindle.controller.placement;

import static dev.rekindle.controller.Given.T0;
import static dev.rekindle.controller.Given.fault;
import static dev.rekindle.controller.Given.node;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.api.RecoveryStatus.Cause;
import dev.rekindle.controller.model.FaultView;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.NodeView.Readiness;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class ExclusionsTest {
  private static final NodeView READY = node("node-1");
  private static final NodeView SILENT = node("node-1", Readiness.SILENT, T0, false, "");
  private static final NodeView NOT_READY = node("node-1", Readiness.NOT_READY, T0, false, "");
  private static final FaultView FENCES = fault("node-1", "XID-79", FenceGuidance.ALWAYS);
  private static final FaultView WATCHED = fault("node-1", "XID-13", FenceGuidance.THRESHOLD);
  private static final FaultView ELSEWHERE = fault("node-2", "XID-79", FenceGuidance.ALWAYS);

  static Stream<Arguments> blamed() {
    Cause faulty = cause(List.of("node-1"), List.of());
    Cause silent = cause(List.of(), List.of("node-1"));
    Cause both = cause(List.of("node-1"), List.of("node-1"));
    return Stream.of(
        argumentSet("the fault stands", faulty, List.of(READY), List.of(FENCES), true),
        argumentSet("repaired", faulty, List.of(READY), List.of(), false),
        argumentSet("a watched fault is left", faulty, List.of(READY), List.of(WATCHED), false),
        argumentSet("another node is faulty", faulty, List.of(READY), List.of(ELSEWHERE), false),
        argumentSet("still silent", silent, List.of(SILENT), List.of(), true),
        argumentSet("answers, not Ready", silent, List.of(NOT_READY), List.of(), true),
        argumentSet("Ready again", silent, List.of(READY), List.of(), false),
        argumentSet("gone", silent, List.of(), List.of(), true),
        argumentSet("repaired, yet silent", both, List.of(SILENT), List.of(), true),
        argumentSet("Ready, yet faulty", both, List.of(READY), List.of(FENCES), true));
  }

  @ParameterizedTest
  @MethodSource("blamed")
  void shouldAvoidABlamedNodeOnlyWhileItIsUnfit(
      Cause cause, List<NodeView> nodes, List<FaultView> faults, boolean excluded) {
    Map<String, NodeView> byName = nodes.isEmpty() ? Map.of() : Map.of("node-1", nodes.getFirst());

    assertThat(Exclusions.of(cause, byName, faults))
        .isEqualTo(excluded ? List.of("node-1") : List.of());
  }

  @Test
  void shouldNameFaultyNodesThatTheSchedulerWouldTake() {
    FaultView cleared = FENCES.with(b -> b.node("node-3").active(false));
    List<FaultView> faults = List.of(ELSEWHERE, FENCES, FENCES, cleared, WATCHED);
    Map<String, NodeView> nodes =
        Map.of("node-1", READY, "node-2", node("node-2"), "node-3", node("node-3"));

    assertThat(Exclusions.faultyAndOpen(nodes, faults)).containsExactly("node-1", "node-2");
    assertThat(Exclusions.faultyAndOpen(Map.of("node-1", READY), faults))
        .as("the other one is gone")
        .containsExactly("node-1");
    assertThat(
            Exclusions.faultyAndOpen(
                Map.of("node-1", READY.withUnschedulable(true), "node-2", SILENT), faults))
        .isEmpty();
  }

  private static Cause cause(List<String> faulty, List<String> silent) {
    return new Cause("XID-79", "", List.of(), faulty, silent, List.of(), null);
  }

  /** 2,048 names in each of 6,144 pods were 603 MB of affinity. */
  @Test
  void shouldNameFewNodesInEveryPodAndThoseTheSchedulerWouldTakeFirst() {
    Map<String, NodeView> nodes = new HashMap<>();
    List<String> excluded = new ArrayList<>();
    for (int i = 0; i < 2_048; i++) {
      String name = "gpu-node-%04d.rack-%03d.example.com".formatted(i, i / 8);
      boolean open = i % 100 == 99;
      boolean silent = i % 2 == 0;
      NodeView cordoned = node(name, Readiness.READY, T0, true, "fault/x");
      NodeView dead = node(name, Readiness.SILENT, T0, false, "");
      nodes.put(name, open ? node(name) : silent ? dead : cordoned);
      excluded.add(name);
    }
    List<String> open = excluded.stream().filter(n -> node(n).equals(nodes.get(n))).toList();

    List<String> named = Exclusions.named(excluded, nodes);

    assertThat(open).hasSize(20);
    assertThat(named).hasSize(Exclusions.MAX_NAMED).containsAll(open).isSorted();
    assertThat(String.join(",", named)).hasSizeLessThan(4_096);
    assertThat(Exclusions.named(excluded.subList(0, 60), nodes))
        .as("of a few all: a pod may tolerate any taint")
        .containsExactlyElementsOf(excluded.subList(0, 60));
  }
}
