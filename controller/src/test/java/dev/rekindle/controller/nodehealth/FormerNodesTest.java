package dev.rekindle.controller.nodehealth;

import static dev.rekindle.controller.Given.T0;
import static dev.rekindle.controller.Given.fault;
import static dev.rekindle.controller.Given.gang;
import static dev.rekindle.controller.Given.job;
import static dev.rekindle.controller.Given.node;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.controller.IgnoredChanges;
import dev.rekindle.controller.cache.FlatState;
import dev.rekindle.controller.diagnosis.NodeFacts;
import dev.rekindle.controller.diagnosis.NodeVerdict;
import dev.rekindle.controller.diagnosis.NodeVerdicts;
import dev.rekindle.controller.model.FaultView;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.port.ClusterGateway;
import dev.rekindle.controller.port.ClusterGateway.RefusedException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FormerNodesTest {
  private static final String NAME = "node-0";
  private static final NodeView PRESENT = node(NAME).withUid("uid-2");
  private final FlatState state = new FlatState(new IgnoredChanges());
  private final List<String> forgotten = new ArrayList<>();
  private boolean refusing;
  private final FormerNodes former = new FormerNodes(state, gateway());

  @ParameterizedTest
  @CsvSource({
    "uid-2, boot-9, uid-2, boot-1, true",
    "uid-1, boot-9, uid-2, boot-1, false",
    "uid-1, boot-1, uid-2, boot-1, true",
    "uid-1, '', uid-2, '', false",
    "'', boot-9, uid-2, boot-1, true",
    "uid-1, boot-9, '', boot-1, true",
  })
  void shouldFenceANodeForNoFaultOfAnEarlierOneOfItsName(
      String uid, String boot, String present, String bootNow, boolean counts) {
    FaultView gone =
        fault(NAME, "XID-79", FenceGuidance.ALWAYS).with(b -> b.nodeUid(uid).bootId(boot));
    PodView pod = gang("").getFirst();
    state.policyFeed().present("default", "1", Policy.DEFAULT);
    state.jobFeed().present("team/demo", "1", job().view());
    state.podFeed().present("team/" + pod.name(), "1", pod);
    NodeView node = node(NAME).with(b -> b.uid(present).bootId(bootNow));
    state.nodeFeed().present(NAME, "1", node);
    state.faultFeed().present(gone.name(), "1", gone);

    assertThat(NodeVerdicts.decide(NodeFacts.of(state, NAME, T0), Policy.DEFAULT, T0))
        .isInstanceOf(counts ? NodeVerdict.Fence.class : NodeVerdict.NoAction.class);
    assertThat(NodeFacts.faults(state, NAME, T0)).hasSize(counts ? 1 : 0);
    assertThat(former.reconcile(NAME, Optional.of(node), T0)).isEmpty();
    assertThat(forgotten).hasSize(counts ? 0 : 1);
  }

  /**
   * A machine that was registered again and is started again: its agent is ahead of its kubelet.
   */
  @Test
  void shouldKeepAFaultSeenInTheReportedBootThoughTheAgentIsInALaterOne() {
    FaultView seen =
        fault(NAME, "XID-79", FenceGuidance.ALWAYS)
            .with(
                b ->
                    b.nodeUid("uid-1")
                        .bootId("boot-3")
                        .incidents(List.of(incidentIn("boot-2"), incidentIn("boot-3"))));
    state.faultFeed().present(seen.name(), "1", seen);
    NodeView node = PRESENT.with(b -> b.bootId("boot-2"));

    assertThat(former.reconcile(NAME, Optional.of(node), T0)).isEmpty();
    assertThat(forgotten).isEmpty();
    assertThat(seen.isOf(node)).isTrue();
    assertThat(seen.isOf(PRESENT.with(b -> b.bootId("boot-4")))).isFalse();
  }

  private static FaultView.Incident incidentIn(String boot) {
    return new FaultView.Incident(T0, T0, 1, "", "", "", "", boot, "", "", "", List.of());
  }

  @Test
  void shouldKeepTheFaultsOfAnAbsentNodeForAWhile() {
    FaultView left = fault(NAME, "XID-79", FenceGuidance.ALWAYS);
    state.faultFeed().present(left.name(), "1", left);

    assertThat(former.reconcile(NAME, Optional.empty(), T0)).contains(FormerNodes.ABSENT);
    assertThat(former.reconcile(NAME, Optional.empty(), T0.plusSeconds(3_599)))
        .contains(Duration.ofSeconds(1));
    assertThat(forgotten).isEmpty();
    assertThat(former.reconcile(NAME, Optional.of(PRESENT), T0.plusSeconds(3_599))).isEmpty();
    assertThat(former.reconcile(NAME, Optional.empty(), T0.plusSeconds(3_600)))
        .contains(FormerNodes.ABSENT);
    assertThat(forgotten).isEmpty();
    assertThat(former.reconcile(NAME, Optional.empty(), T0.plusSeconds(7_200))).isEmpty();
    assertThat(forgotten).containsExactly(left.name());
  }

  @Test
  void shouldTryAgainLaterWhereItMayNotDelete() {
    FaultView left = fault(NAME, "XID-79", FenceGuidance.ALWAYS).withNodeUid("uid-1");
    FaultView other = left.with(b -> b.name("other").bootId("boot-0"));
    state.faultFeed().present("other", "1", other);
    refusing = true;

    assertThat(former.reconcile(NAME, Optional.of(PRESENT), T0)).contains(FormerNodes.ABSENT);
  }

  private ClusterGateway gateway() {
    return (ClusterGateway)
        Proxy.newProxyInstance(
            ClusterGateway.class.getClassLoader(),
            new Class<?>[] {ClusterGateway.class},
            (_, method, arguments) -> {
              assertThat(method.getName()).isEqualTo("forget");
              if (refusing) {
                throw new RefusedException(403, "nodefaults is forbidden");
              }
              forgotten.add((String) arguments[0]);
              return null;
            });
  }
}
