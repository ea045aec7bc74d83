package dev.rekindle.controller.fencing;

import static dev.rekindle.controller.Given.T0;
import static dev.rekindle.controller.Given.fault;
import static dev.rekindle.controller.Given.job;
import static dev.rekindle.controller.Given.node;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.controller.Policies;
import dev.rekindle.controller.diagnosis.NodeSnapshot;
import dev.rekindle.controller.diagnosis.NodeSnapshot.Tenant;
import dev.rekindle.controller.diagnosis.NodeVerdict;
import dev.rekindle.controller.diagnosis.NodeVerdicts;
import dev.rekindle.controller.model.FaultView;
import dev.rekindle.controller.model.FaultView.Incident;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.NodeView.Readiness;
import dev.rekindle.controller.model.Policy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Fences that are withheld for the quota of a namespace. */
class FenceQuotaTest {
  static final Policy TWO = Policies.ofYaml("fencing: {maxNodesPerNamespace: 2}");

  static final Instant NOW = T0.plus(Duration.ofHours(2));
  private static final Map<String, Set<String>> FULL = Map.of("team", Set.of("n-2", "n-3"));

  // --- what a table can say -----------------------------------------------------------------

  static Stream<Arguments> cases() {
    FaultView ofTeam = ofPrograms("n-1", NOW, "team");
    FaultView ofTwo = ofPrograms("n-1", NOW, "team", "other");
    FaultView hardware = fault("n-1", "XID-79", FenceGuidance.ALWAYS);
    FaultView seenTwice = fault("n-1", "NVML-GPU-LOST", FenceGuidance.ALWAYS);
    String uuid = "GPU-11111111-aaaa-bbbb-cccc-000000000001";
    FaultView marked =
        fault("n-1", "DEVICE-UNHEALTHY", FenceGuidance.THRESHOLD)
            .with(b -> b.component("GPU " + uuid).detector("device-plugin"));
    NodeView free = node("n-1");
    NodeView ours = node("n-1", Readiness.READY, T0, true, "fault/x");
    NodeView theirs = node("n-1", Readiness.READY, T0, true, "");
    Map<String, Set<String>> one = Map.of("team", Set.of("n-2"));
    Map<String, Set<String>> self = Map.of("team", Set.of("n-1", "n-2"));
    Map<String, Set<String>> others = Map.of("third", Set.of("n-2", "n-3", "n-4"));
    return Stream.of(
        argumentSet("no namespace yet", free, List.of(ofTeam), Map.of(), "Fence"),
        argumentSet("one left", free, List.of(ofTeam), one, "Fence"),
        argumentSet("none left", free, List.of(ofTeam), FULL, "OverQuota"),
        argumentSet("the same node again", free, List.of(ofTeam), self, "Fence"),
        argumentSet("another namespace's", free, List.of(ofTeam), others, "Fence"),
        argumentSet("one of two has none left", free, List.of(ofTwo), FULL, "OverQuota"),
        argumentSet("what no program causes", free, List.of(hardware), FULL, "Fence"),
        argumentSet("that as well", free, List.of(ofTeam, hardware), FULL, "Fence"),
        argumentSet("a second device of it", free, List.of(ofTeam, seenTwice), FULL, "Fence"),
        argumentSet(
            "a device plugin marks the device for it",
            free,
            List.of(ofTeam.withDeviceUuid(uuid), marked),
            FULL,
            "OverQuota"),
        argumentSet("a fence that stands", ours, List.of(ofTeam), FULL, "NoAction"),
        argumentSet("somebody else's cordon", theirs, List.of(ofTeam), FULL, "NoAction"),
        argumentSet(
            "a person approves",
            free.withApprovedFault(ofTeam.name()),
            List.of(ofTeam),
            FULL,
            "Fence"),
        argumentSet(
            "a person approved two days ago",
            free.withApprovedFault(ofTeam.name()).withApprovedAt(NOW.minusSeconds(172_800)),
            List.of(ofTeam),
            FULL,
            "OverQuota"));
  }

  @ParameterizedTest
  @MethodSource("cases")
  void shouldWithholdOnlyWhatRestsOnTheProgramsOfANamespace(
      NodeView n, List<FaultView> faults, Map<String, Set<String>> fencedFor, String verdict) {
    assertThat(decide(n, faults, fencedFor, NOW)).asString().startsWith(verdict);
  }

  /** Else the slot of the breaker would be refused for the quota, each time (seed 85003773). */
  @Test
  void shouldRequestNoQuotaWhereAPersonHasApproved() {
    FaultView ofTeam = ofPrograms("n-1", NOW, "team");
    NodeView approved = node("n-1").withApprovedFault(ofTeam.name());

    assertThat(decide(approved, List.of(ofTeam), FULL, NOW))
        .isInstanceOfSatisfying(
            NodeVerdict.Fence.class, fence -> assertThat(fence.namespaces()).isEmpty());
    assertThat(decide(node("n-1"), List.of(ofTeam), Map.of(), NOW))
        .isInstanceOfSatisfying(
            NodeVerdict.Fence.class, fence -> assertThat(fence.namespaces()).contains("team"));
  }

  @Test
  void shouldNameTheQuotaAndTheNamespace() {
    assertThat(decide(node("n-1"), List.of(ofPrograms("n-1", NOW, "team")), FULL, NOW))
        .isInstanceOfSatisfying(
            NodeVerdict.OverQuota.class,
            over ->
                assertThat(over.reason())
                    .contains(
                        "the quota of namespace team: 2 nodes within 24 h"
                            + " (maxFencedPerNamespace)"));
  }

  @Test
  void shouldLeaveANodeAloneThatHasNoRequest() {
    NodeSnapshot s =
        new NodeSnapshot(
            node("n-1"), List.of(ofPrograms("n-1", NOW, "team")), List.of(), List.of(), FULL);
    assertThat(NodeVerdicts.decide(s, TWO, NOW)).isInstanceOf(NodeVerdict.NoAction.class);
  }

  /** Programs of two owners, of each namespace one at least, met the code on one GPU. */
  static FaultView ofPrograms(String node, Instant now, String... namespaces) {
    List<Incident> incidents = new ArrayList<>();
    for (int i = 0; i < Math.max(2, namespaces.length); i++) {
      Instant at = now.minusSeconds(7_000 - 600L * i);
      String namespace = namespaces[i % namespaces.length];
      incidents.add(
          new Incident(
              at,
              at,
              1,
              "",
              namespace,
              "pod",
              "uid-" + i,
              "boot-1",
              "job-" + i,
              "",
              "",
              List.of()));
    }
    return fault(node, "XID-31", FenceGuidance.THRESHOLD)
        .with(b -> b.incidents(incidents).bootId("boot-1").name(node + "-xid-31"));
  }

  static NodeVerdict decide(
      NodeView n, List<FaultView> faults, Map<String, Set<String>> fencedFor, Instant now) {
    return decide(n, faults, fencedFor, TWO, now);
  }

  static NodeVerdict decide(
      NodeView n,
      List<FaultView> faults,
      Map<String, Set<String>> fencedFor,
      Policy policy,
      Instant now) {
    List<Tenant> tenants = List.of(new Tenant(job().view(), policy));
    return NodeVerdicts.decide(
        new NodeSnapshot(n, faults, List.of(), tenants, fencedFor), policy, now);
  }
}
