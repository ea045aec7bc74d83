package dev.rekindle.controller.nodehealth;

import static dev.rekindle.controller.Given.T0;
import static dev.rekindle.controller.Given.fault;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.controller.Given;
import dev.rekindle.controller.IgnoredChanges;
import dev.rekindle.controller.cache.FlatState;
import dev.rekindle.controller.fencing.NodeWrites;
import dev.rekindle.controller.model.FaultView;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.port.ClusterGateway;
import dev.rekindle.controller.port.ClusterGateway.RefusedException;
import dev.rekindle.controller.port.ClusterGateway.StaleException;
import dev.rekindle.controller.telemetry.Metrics;
import dev.rekindle.detect.fault.FaultName;
import dev.rekindle.detect.node.ConditionReading;
import dev.rekindle.detect.node.NodeSigns;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A fault is cleared by what the API server has, not by what a watch shows. */
class NodeHealthReconcilerTest {
  private static final String NAME = "node-0";
  private static final FaultView FAULT =
      fault(NAME, "COND-XIDERRORS", FenceGuidance.ALWAYS)
          .with(
              b -> b.name(FaultName.of(NAME, "", "COND-XIDERRORS")).detector(Detectors.CONDITION));

  private final FlatState state = new FlatState(new IgnoredChanges());
  private final List<String> cleared = new ArrayList<>();
  private Optional<NodeView> live = Optional.empty();
  private boolean refused;
  private final ClusterGateway gateway = gateway();
  private final NodeHealthReconciler reconciler =
      new NodeHealthReconciler(
          state,
          gateway,
          () -> T0,
          new NodeWrites(gateway, new Metrics(new PrometheusRegistry()), () -> T0));

  @BeforeEach
  void startFromAWatchThatShowsNoCondition() {
    state.policyFeed().present("default", "1", Policy.DEFAULT);
    state.nodeFeed().present(NAME, "1", node("uid-1", null));
    state.faultFeed().present(FAULT.name(), "1", FAULT);
  }

  @ParameterizedTest
  @ValueSource(strings = {"True", "Unknown"})
  void shouldNotClearAFaultThatTheApiServerStillShows(String status) {
    live = Optional.of(node("uid-1", status));

    assertThatThrownBy(() -> reconciler.reconcile(NAME)).isInstanceOf(StaleException.class);
    assertThat(cleared).isEmpty();
  }

  @Test
  void shouldNotClearAFaultByAnotherNodeOfTheName() {
    live = Optional.of(node("uid-2", "False"));

    assertThatThrownBy(() -> reconciler.reconcile(NAME)).isInstanceOf(StaleException.class);
    live = Optional.empty();
    assertThatThrownBy(() -> reconciler.reconcile(NAME)).isInstanceOf(StaleException.class);
    assertThat(cleared).isEmpty();
  }

  @Test
  void shouldClearAFaultWhoseConditionIsGone() {
    live = Optional.of(node("uid-1", null));

    assertThat(reconciler.reconcile(NAME)).isEmpty();
    assertThat(cleared).containsExactly(FAULT.name());
  }

  @Test
  void shouldNotClearAFaultOfANodeThatItMayNotReadAndTryAgain() {
    refused = true;

    assertThat(reconciler.reconcile(NAME)).isPresent();
    assertThat(cleared).isEmpty();
  }

  private static NodeView node(String uid, @Nullable String status) {
    NodeView node = Given.node(NAME).withUid(uid);
    return status == null
        ? node
        : node.withSigns(
            new NodeSigns(
                List.of(new ConditionReading("XIDErrors", status, "Seen", "", T0)),
                List.of(),
                List.of(),
                null));
  }

  private ClusterGateway gateway() {
    return (ClusterGateway)
        Proxy.newProxyInstance(
            ClusterGateway.class.getClassLoader(),
            new Class<?>[] {ClusterGateway.class},
            (_, method, arguments) -> {
              if (refused) {
                throw new RefusedException(403, "nodes is forbidden");
              }
              if (method.getName().equals("liveNode")) {
                return live;
              }
              assertThat(method.getName()).isEqualTo("clear");
              cleared.add((String) arguments[0]);
              return null;
            });
  }
}
