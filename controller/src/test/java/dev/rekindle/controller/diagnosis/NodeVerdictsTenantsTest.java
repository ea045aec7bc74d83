package dev.rekindle.controller.diagnosis;

import static dev.rekindle.controller.Given.T0;
import static dev.rekindle.controller.Given.job;
import static dev.rekindle.controller.diagnosis.NodeSnapshots.FREE;
import static dev.rekindle.controller.diagnosis.NodeSnapshots.NOW;
import static dev.rekindle.controller.diagnosis.NodeSnapshots.POLICY;
import static dev.rekindle.controller.diagnosis.NodeSnapshots.xid79;
import static dev.rekindle.controller.diagnosis.NodeVerdictsTest.policy;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import dev.rekindle.controller.Policies;
import dev.rekindle.controller.diagnosis.NodeSnapshot.Tenant;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.JobView.OptIn;
import dev.rekindle.controller.model.Policy;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Whose policy decides on a node. */
class NodeVerdictsTenantsTest {

  static Stream<Arguments> neighbours() {
    return Stream.of(
        argumentSet("one only looks on", "mode: observe", "mode: auto", "mode: auto"),
        argumentSet("one asks first", "mode: auto", "mode: approve", "mode: auto"),
        argumentSet(
            "one lets no node be fenced",
            "fencing: {maxNodes: 0}",
            "fencing: {maxNodes: 2}",
            "fencing: {maxNodes: 2}"));
  }

  /** What must be fenced is fenced, though another job on the node would rather go on. */
  @ParameterizedTest
  @MethodSource("neighbours")
  void shouldFenceForTheJobWhosePolicyLetsItDoSo(String one, String other, String by) {
    Tenant a = new Tenant(named("a", "job-a"), Policies.ofYaml(one));
    Tenant b = new Tenant(named("b", "job-b"), Policies.ofYaml(other));

    for (List<Tenant> both : List.of(List.of(a, b), List.of(b, a))) {
      NodeSnapshot s = new NodeSnapshot(FREE, List.of(xid79().build()), List.of(), both);

      assertThat(NodeVerdicts.decide(s, POLICY, NOW))
          .isInstanceOfSatisfying(
              NodeVerdict.Fence.class,
              fence -> assertThat(fence.policy()).isEqualTo(Policies.ofYaml(by)));
    }
  }

  private static JobView named(String name, String uid) {
    return job().view().with(b -> b.key(new JobKey("team", name)).uid(uid));
  }

  static Stream<Arguments> tenants() {
    return Stream.of(
        argumentSet("no pod there", null, null, "NoAction"),
        argumentSet("no pod there, all GPU nodes", null, "gpuNodes", "Fence"),
        argumentSet("not opted in", job().optIn(new OptIn.No()).view(), null, "NoAction"),
        argumentSet("it is over", job().succeeded(T0).view(), null, "NoAction"),
        argumentSet("somebody else's", job().notOurs("Kueue").view(), null, "NoAction"));
  }

  @ParameterizedTest
  @MethodSource("tenants")
  void shouldFenceForJobsThatOptedInOnlyUnlessSetOtherwise(
      @Nullable JobView job, @Nullable String scope, String verdict) {
    Policy policy = policy(null, scope);
    NodeSnapshot s =
        new NodeSnapshot(
            FREE,
            List.of(xid79().build()),
            List.of(),
            job == null ? List.of() : List.of(new Tenant(job, policy)));

    assertThat(NodeVerdicts.decide(s, policy, NOW)).asString().startsWith(verdict);
  }
}
