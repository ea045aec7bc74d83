package dev.rekindle.controller.fencing;

import static dev.rekindle.controller.Given.T0;
import static dev.rekindle.controller.Given.fault;
import static dev.rekindle.controller.Given.job;
import static dev.rekindle.controller.Given.node;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.controller.Policies;
import dev.rekindle.controller.diagnosis.NodeSnapshot;
import dev.rekindle.controller.diagnosis.NodeSnapshot.Tenant;
import dev.rekindle.controller.diagnosis.NodeVerdict;
import dev.rekindle.controller.diagnosis.NodeVerdicts;
import dev.rekindle.controller.model.FaultView;
import dev.rekindle.controller.model.FaultView.Incident;
import dev.rekindle.controller.model.FenceLimit;
import dev.rekindle.controller.model.FenceQuota;
import dev.rekindle.controller.model.FencedFor;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.NodeView.Readiness;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.port.ClusterGateway.StaleException;
import dev.rekindle.controller.runtime.GroupCommit;
import dev.rekindle.detect.SteadyClock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Fences that are withheld for the quota of a namespace. */
class FenceQuotaTest {
  private static final Policy TWO = Policies.ofYaml("fencing: {maxNodesPerNamespace: 2}");

  private static final Instant NOW = T0.plus(Duration.ofHours(2));
  private static final Map<String, Set<String>> FULL = Map.of("team", Set.of("n-2", "n-3"));

  // --- what a table can say -----------------------------------------------------------------

  static Stream<Arguments> cases() {
    FaultView ofTeam = ofPrograms("n-1", NOW, "team");
    FaultView ofTwo = ofPrograms("n-1", NOW, "team", "other");
    FaultView hardware = fault("n-1", "XID-79", FenceGuidance.ALWAYS);
    FaultView seenTwice = fault("n-1", "NVML-GPU-LOST", FenceGuidance.ALWAYS);
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

  // --- many at one time -----------------------------------------------------------------------

  @Test
  void shouldNotLetAStormPassTheQuotaBeforeAWatchHasShownIt() throws Exception {
    FencesInMemory store = new FencesInMemory(Map::of);
    FenceSlotAllocator ledger =
        new FenceSlotAllocator(store, () -> NOW, SteadyClock.of(() -> 0), GroupCommit::threadSeat);
    Policy policy = TWO.withMaxFencedNodes(50);
    try (ExecutorService all = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Callable<Boolean>> takers = new ArrayList<>();
      for (int i = 0; i < 40; i++) {
        String n = "node-" + i;
        Set<String> namespaces = i % 4 == 0 ? Set.of() : Set.of("team");
        takers.add(
            () -> {
              try {
                ledger.take(n, "r", FenceLimit.of(policy, List.of(), n, namespaces, NOW));
                return !namespaces.isEmpty();
              } catch (StaleException overQuota) {
                assertThat(overQuota).hasMessageContaining("the quota of namespace team");
                return false;
              }
            });
      }
      int ofTeam = 0;
      for (Future<Boolean> taker : all.invokeAll(takers)) {
        ofTeam += taker.get() ? 1 : 0;
      }
      assertThat(ofTeam).isEqualTo(2);
    }
    assertThat(store.stored()).as("and ten that no program causes").hasSize(12);
    assertThatThrownBy(
            () ->
                ledger.take(
                    "late", "r", FenceLimit.of(policy, List.of(), "late", Set.of("team"), NOW)))
        .isInstanceOf(StaleException.class);
  }

  // --- whatever comes -------------------------------------------------------------------------

  /** A fence, and for whom. */
  private record Fenced(Instant at, String node, String namespace) {}

  @Test
  void shouldNeverPassTheQuotaNorWithholdWhatNoProgramCauses() {
    RandomGenerator random = RandomGeneratorFactory.getDefault().create(11);
    for (int run = 0; run < 200; run++) {
      Map<String, NodeView> nodes = new TreeMap<>();
      for (int i = 0; i < 12; i++) {
        nodes.put("n-" + i, node("n-" + i));
      }
      List<Fenced> all = new ArrayList<>();
      Instant now = T0;
      Policy policy = TWO.withMaxFencedPerNamespace(random.nextInt(4));
      for (int step = 0; step < 60; step++) {
        now = now.plusSeconds(random.nextInt(20_000));
        NodeView n = requireNonNull(nodes.get("n-" + random.nextInt(12)));
        boolean hardware = random.nextInt(4) == 0;
        String[] namespaces =
            random
                .ints(1 + random.nextInt(2), 0, 3)
                .mapToObj(i -> "ns-" + i)
                .toArray(String[]::new);
        List<FaultView> faults = new ArrayList<>();
        if (hardware) {
          faults.add(fault(n.name(), "XID-79", FenceGuidance.ALWAYS));
        }
        faults.add(ofPrograms(n.name(), now, namespaces));
        NodeVerdict verdict =
            decide(n, faults, FenceQuota.fenced(nodes.values(), now), policy, now);
        if (hardware && !n.unschedulable()) {
          assertThat(verdict).isInstanceOf(NodeVerdict.Fence.class);
        }
        if (verdict instanceof NodeVerdict.Fence fence) {
          for (String namespace : fence.namespaces()) {
            all.add(new Fenced(now, n.name(), namespace));
          }
          String written =
              fence.namespaces().isEmpty()
                  ? n.fencedFor()
                  : FencedFor.parse(n.fencedFor()).and(now, fence.namespaces()).format();
          nodes.put(
              n.name(), n.with(b -> b.unschedulable(true).fencedBy("fault/x").fencedFor(written)));
        } else if (n.fencedByUs() && random.nextInt(3) > 0) {
          nodes.put(n.name(), n.with(b -> b.unschedulable(false).fencedBy("")));
        }
      }
      for (Fenced last : all) {
        Instant since = last.at().minus(FencedFor.WINDOW);
        long within =
            all.stream()
                .filter(f -> f.namespace().equals(last.namespace()))
                .filter(f -> f.at().isAfter(since) && !f.at().isAfter(last.at()))
                .map(Fenced::node)
                .distinct()
                .count();
        assertThat(within).isLessThanOrEqualTo(policy.maxFencedPerNamespace());
      }
    }
  }

  /** Programs of two owners, of each namespace one at least, met the code on one GPU. */
  private static FaultView ofPrograms(String node, Instant now, String... namespaces) {
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

  private static NodeVerdict decide(
      NodeView n, List<FaultView> faults, Map<String, Set<String>> fencedFor, Instant now) {
    return decide(n, faults, fencedFor, TWO, now);
  }

  private static NodeVerdict decide(
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
