package dev.rekindle.controller.spares;

import static dev.rekindle.controller.Given.T0;
import static dev.rekindle.controller.Given.fault;
import static dev.rekindle.controller.Given.gang;
import static dev.rekindle.controller.Given.job;
import static dev.rekindle.controller.Given.node;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.controller.cache.FlatState;
import dev.rekindle.controller.model.Amounts;
import dev.rekindle.controller.model.FaultView;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.NodeView.Readiness;
import dev.rekindle.controller.model.PodView.Phase;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.model.SpareOrder;
import dev.rekindle.controller.model.SpareView;
import dev.rekindle.controller.model.SpareWish;
import dev.rekindle.controller.port.Changes;
import dev.rekindle.controller.port.ClusterGateway;
import dev.rekindle.controller.telemetry.Metrics;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a job that requests one spare gets while watches are behind. */
class SpareKeeperTest {
  private static final JobView JOB = job().view().withSpares(new SpareWish(1, "Worker", "t1"));

  private final FlatState state = new FlatState(Changes.to(_ -> {}, _ -> {}, _ -> {}));
  private final List<Integer> made = new ArrayList<>();
  private final List<String> removed = new ArrayList<>();
  private Instant now = T0.plusSeconds(3_600);
  private Duration callTakes = Duration.ZERO;
  private long version = 1;
  private final SpareKeeper keeper =
      new SpareKeeper(state, gateway(), new Metrics(new PrometheusRegistry()), () -> now);

  SpareKeeperTest() {
    Policy policy = Policy.DEFAULT.with(b -> b.maxSpares(1).maxSparesPerNamespace(1));
    state.policyFeed().present("default", "1", policy);
    state.jobFeed().present(JOB.key().toString(), next(), JOB);
    for (int i = 0; i < 6; i++) {
      show(node("node-" + i));
    }
    gang("").forEach(p -> state.podFeed().present("team/" + p.name(), next(), p));
  }

  private ClusterGateway gateway() {
    return (ClusterGateway)
        Proxy.newProxyInstance(
            SpareKeeperTest.class.getClassLoader(),
            new Class<?>[] {ClusterGateway.class},
            (_, method, arguments) -> {
              if (method.getName().equals("removeSpare")) {
                removed.add((String) arguments[1]);
              }
              if (method.getName().equals("addSpare")) {
                made.add(((SpareOrder) arguments[2]).slot());
                now = now.plus(callTakes);
              }
              return null;
            });
  }

  private String next() {
    return Long.toString(++version);
  }

  private void show(NodeView node) {
    state.nodeFeed().present(node.name(), next(), node);
  }

  private static SpareView spare(int slot, boolean terminating) {
    return new SpareView(
        JOB.key(),
        "demo-spare-" + slot,
        slot,
        "spare-uid-" + slot,
        JOB.uid(),
        "t1",
        "node-4",
        Phase.RUNNING,
        terminating,
        8,
        Amounts.NONE,
        T0);
  }

  private void show(SpareView spare) {
    state.spareFeed().present("team/" + spare.name(), next(), spare);
  }

  private void look() {
    var _ = keeper.look(JOB.key());
  }

  /**
   * Seed 94800114: the first one was lost with its Node, and gone before the watch had the other.
   */
  @Test
  void shouldMakeNoOtherOneWhileTheWatchDoesNotShowTheLastOne() {
    show(spare(0, /* terminating= */ false));
    state.nodeFeed().gone("node-4", next());
    look();
    show(spare(0, /* terminating= */ true));
    look();
    assertThat(made).containsExactly(1);

    state.spareFeed().gone("team/demo-spare-0", next());
    now = now.plusSeconds(1);
    look();
    assertThat(made).containsExactly(1);

    show(spare(1, /* terminating= */ false).withNode("node-5"));
    look();
    assertThat(made).containsExactly(1);
  }

  /** Seed 94780784: the number of the one that was lost was free again when the call returned. */
  @Test
  void shouldMakeNoOtherOneRightAfterACallThatTookLong() {
    show(spare(0, /* terminating= */ false));
    state.nodeFeed().gone("node-4", next());
    look();
    callTakes = SpareMemory.SHOWN_WITHIN.plusSeconds(1);
    show(spare(0, /* terminating= */ true));
    look();
    state.spareFeed().gone("team/demo-spare-0", next());
    look();

    assertThat(made).containsExactly(1);
  }

  private void show(FaultView fault) {
    state.faultFeed().present(fault.name(), next(), fault);
  }

  /** No pod is kept off it for that fault either. */
  @Test
  void shouldKeepASpareWhereARebootHasClearedTheFault() {
    show(node("node-4", Readiness.READY, T0.plusSeconds(600), false, "").withBootId("boot-2"));
    show(fault("node-4", "XID-79", FenceGuidance.ALWAYS));
    show(spare(0, /* terminating= */ false));

    look();

    assertThat(removed).isEmpty();
  }

  /** Two detectors say so: a recovery would take no pod there, so the spare is of no use. */
  @Test
  void shouldRemoveASpareWhereSeveralFaultsTogetherFence() {
    show(fault("node-4", "XID-48", FenceGuidance.THRESHOLD));
    show(fault("node-4", "GPU-LOST", FenceGuidance.THRESHOLD).withDetector("nvml"));
    show(spare(0, /* terminating= */ false));

    look();

    assertThat(removed).containsExactly("demo-spare-0");
  }

  @Test
  void shouldMakeItAgainWhereTheWatchDoesNotShowItForLong() {
    look();
    now = now.plus(SpareMemory.SHOWN_WITHIN).plusSeconds(1);
    look();
    assertThat(made).containsExactly(0, 0);
  }
}
