package dev.rekindle.simulator.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.JobRef;
import dev.rekindle.api.PlacementPlan;
import dev.rekindle.api.PlacementPlan.Replacement;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoverySpec;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RecoveryStatus.Plan;
import dev.rekindle.api.RestartWay;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.simulator.Given;
import dev.rekindle.simulator.Simulation;
import dev.rekindle.simulator.api.Meta;
import dev.rekindle.simulator.setup.NodeSetup;
import dev.rekindle.simulator.setup.Setup;
import dev.rekindle.simulator.world.RecoveryObject;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A pod leaves its leaf group, whose other node is free. */
class NearestNodesTest {
  private static Setup cluster(boolean requiresRdma, boolean rdma) {
    Setup setup =
        Given.cluster(4, Given.job().ranks(1, 8).setup().with(b -> b.requiresRdma(requiresRdma)));
    List<NodeSetup> nodes =
        setup.nodes().stream()
            .map(node -> new NodeSetup(node.name(), node.leaf(), node.gpus(), rdma))
            .toList();
    return new Setup(
        setup.seed(), nodes, setup.jobs(), setup.policy(), setup.timing(), setup.controllers());
  }

  private static PlacementPlan away(Simulation simulation) {
    PodView pod = simulation.pods(Given.KEY).getFirst();
    String leaf = simulation.world().nodes().get(pod.node()).setup().leaf();
    // Four nodes, two on each leaf.
    String far = leaf.equals("leaf-0") ? "node-2" : "node-0";
    return new PlacementPlan(
        List.of("leaf"),
        List.of(new Replacement(pod.name(), pod.node(), far, 1)),
        1,
        1,
        1,
        List.of(),
        0);
  }

  /** What a node lacks may be known from an attempt before (seed 94424562). */
  @ParameterizedTest
  @CsvSource({"true, true, true", "false, false, true", "true, false, false"})
  void shouldCountNoNodeWithoutRdmaForAJobThatRequiresIt(
      boolean requiresRdma, boolean rdma, boolean broken) {
    try (Simulation simulation = Simulation.of(cluster(requiresRdma, rdma))) {
      Invariants invariants =
          new Invariants(
              simulation.world(),
              Policy.DEFAULT,
              simulation.fleet().answers(),
              simulation::now,
              Duration.ofSeconds(1));
      simulation.runFor(Duration.ofSeconds(30));
      var spec =
          new RecoverySpec(
              JobRef.pyTorchJob(Given.KEY.name(), simulation.job(Given.KEY).uid()),
              simulation.now(),
              null);
      var plan =
          new Plan(RestartWay.IN_PLACE, "", List.of(), List.of(), Map.of(), null)
              .withPlacement(away(simulation));
      var status =
          new RecoveryStatus(
              RecoveryPhase.DRAINING,
              simulation.now(),
              1,
              null,
              null,
              plan,
              null,
              List.of(),
              List.of());
      var places = new Places(simulation.world(), simulation::now);

      new NearestNodes(simulation.world(), invariants, places)
          .saved(
              new RecoveryObject(Meta.draft(Given.KEY.namespace(), "demo-r1", ""), spec, null),
              status);

      assertThat(invariants.violation().map(Violation::invariant).stream().toList())
          .isEqualTo(broken ? List.of(Invariant.NEAREST) : List.of());
    }
  }
}
