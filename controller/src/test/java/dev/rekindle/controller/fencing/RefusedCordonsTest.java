package dev.rekindle.controller.fencing;

import static dev.rekindle.controller.Given.T0;
import static dev.rekindle.controller.Given.fault;
import static dev.rekindle.controller.Given.node;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.controller.Policies;
import dev.rekindle.controller.cache.FlatState;
import dev.rekindle.controller.model.ClusterEvent;
import dev.rekindle.controller.model.NodeIncidentHistory;
import dev.rekindle.controller.model.Reason;
import dev.rekindle.controller.port.Changes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Cordons that are refused, as the reconciler of nodes meets them. */
class RefusedCordonsTest extends NodeWritesFixture {
  private final FlatState state = new FlatState(Changes.to(_ -> {}, _ -> {}, _ -> {}));

  private final FenceReconciler reconciler =
      new FenceReconciler(state, gateway, metrics, () -> now, writes);

  /** Whatever is refused of the node, what remains is done. */
  @Test
  void shouldCordonANodeWhoseMarkAsALemonIsRefused() {
    guilty("n");
    refusals.put("markLemon", forbidden);
    assertThat(reconciler.reconcile("n")).isPresent();
    assertThat(calls).containsExactly("markLemon n", "cordon n");
    assertThat(said).extracting(ClusterEvent::reason).containsExactly(Reason.NODE_FENCED);
  }

  @Test
  void shouldSayThatACordonIsRefusedAndCordonOnceItIsAccepted() {
    guilty("n");
    refusals.put("cordon", forbidden);
    for (int i = 0; i < 4; i++) {
      now = now.plus(reconciler.reconcile("n").orElseThrow());
    }
    assertThat(said).extracting(ClusterEvent::reason).contains(Reason.NODE_WRITE_REFUSED);
    assertThat(said).extracting(ClusterEvent::reason).doesNotContain(Reason.NODE_FENCED);
    refusals.clear();
    var _ = reconciler.reconcile("n");
    assertThat(said).extracting(ClusterEvent::reason).contains(Reason.NODE_FENCED);
  }

  /** A node that has broken down for the third time, under a policy for all GPU nodes. */
  private void guilty(String name) {
    NodeIncidentHistory incidents = new NodeIncidentHistory(List.of());
    for (int i = 1; i <= 3; i++) {
      incidents = incidents.and(T0.minus(Duration.ofDays(i)), "fault/x");
    }
    String written = incidents.format();
    state.policyFeed().present("default", "1", Policies.ofYaml("fencing: {scope: gpuNodes}"));
    state.nodeFeed().present(name, "1", node(name).withIncidents(written));
    state.faultFeed().present("f", "1", fault(name, "XID-79", FenceGuidance.ALWAYS));
  }

  /** Else the successor is silent for an hour, and names of deleted Nodes are kept for ever. */
  @Test
  void shouldSayOfASuccessorWhatItHasSaidOfADeletedNode() {
    state
        .policyFeed()
        .present("default", "1", Policies.ofYaml("mode: observe\nfencing: {scope: gpuNodes}"));
    state.nodeFeed().present("n", "1", node("n"));
    state.faultFeed().present("f", "1", fault("n", "XID-79", FenceGuidance.ALWAYS));
    var _ = reconciler.reconcile("n");
    var _ = reconciler.reconcile("n");
    assertThat(said).extracting(ClusterEvent::reason).containsExactly(Reason.WOULD_FENCE);

    state.nodeFeed().gone("n", "2");
    var _ = reconciler.reconcile("n");
    state.nodeFeed().present("n", "3", node("n"));
    var _ = reconciler.reconcile("n");

    assertThat(said)
        .extracting(ClusterEvent::reason)
        .containsExactly(Reason.WOULD_FENCE, Reason.WOULD_FENCE);
  }

  // --- more faults than are read ------------------------------------------------------

  @Test
  void shouldReadALimitedNumberOfFaultsOfANodeAndContinue() {
    List<String> enqueued = new ArrayList<>();
    FlatState flooded = new FlatState(Changes.to(_ -> {}, enqueued::add, _ -> {}));
    flooded.policyFeed().present("default", "1", Policies.ofYaml("fencing: {scope: gpuNodes}"));
    flooded.nodeFeed().present("n", "1", node("n"));
    flooded.nodeFeed().present("m", "1", node("m"));
    enqueued.clear();
    for (int i = 0; i < 10_000; i++) {
      flooded
          .faultFeed()
          .present("n-" + i, "1", fault("n", "XID-31", FenceGuidance.THRESHOLD).withName("n-" + i));
    }
    assertThat(flooded.faults("n")).hasSize(768);
    assertThat(flooded.faultsOfCode("XID-31")).hasSize(768);
    assertThat(flooded.faultsLeftOut("n")).isEqualTo(10_000 - 768);
    assertThat(enqueued).as("reconciles that are requested").hasSize(768 + 1);
    flooded.faultFeed().present("m-1", "1", fault("m", "XID-79", FenceGuidance.ALWAYS));
    FenceReconciler over = new FenceReconciler(flooded, gateway, metrics, () -> now, writes);
    var _ = over.reconcile("n");
    var _ = over.reconcile("n");
    var _ = over.reconcile("m");
    assertThat(calls).containsExactly("cordon m");
    assertThat(said)
        .extracting(ClusterEvent::reason)
        .containsExactly(Reason.TOO_MANY_FAULTS, Reason.NODE_FENCED);
    assertThat(said.getFirst().note()).contains("768 NodeFaults", "9232 or more are not");
    flooded.faultFeed().gone("n-5", "2");
    flooded
        .faultFeed()
        .present("n-9999", "2", fault("n", "XID-79", FenceGuidance.ALWAYS).withName("n-9999"));
    assertThat(flooded.faults("n")).as("there is room again").hasSize(768);
    assertThat(flooded.faultsLeftOut("n")).isEqualTo(10_000 - 768 - 1);
  }
}
