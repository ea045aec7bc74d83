package dev.rekindle.controller.fencing;

import static dev.rekindle.controller.Given.T0;
import static dev.rekindle.controller.Given.fault;
import static dev.rekindle.controller.Given.node;
import static dev.rekindle.controller.fencing.FenceQuotaTest.NOW;
import static dev.rekindle.controller.fencing.FenceQuotaTest.TWO;
import static dev.rekindle.controller.fencing.FenceQuotaTest.decide;
import static dev.rekindle.controller.fencing.FenceQuotaTest.ofPrograms;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.controller.diagnosis.NodeVerdict;
import dev.rekindle.controller.model.FaultView;
import dev.rekindle.controller.model.FenceLimit;
import dev.rekindle.controller.model.FenceQuota;
import dev.rekindle.controller.model.FencedFor;
import dev.rekindle.controller.model.NodeView;
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
import java.util.concurrent.atomic.AtomicReference;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The quota under many faults at a time. */
class FenceQuotaStormTest {

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

  @Test
  void shouldCountTogetherWhatOneWriteFences() {
    List<SlotRequest> takes =
        Stream.of("node-1", "node-2", "node-3")
            .<SlotRequest>map(n -> new SlotRequest.Take(n, "uid", "r", limit(n)))
            .toList();
    SlotBatch batch =
        new SlotBatch(
            new FencesInMemory(Map::of),
            SteadyClock.of(() -> 0),
            new SlotMemory(),
            FenceSlots.NONE,
            takes,
            NOW);

    assertThat(takes.stream().map(batch::meet).map(Object::getClass))
        .containsExactly(
            SlotAnswer.Granted.class, SlotAnswer.Granted.class, SlotAnswer.OverQuota.class);
  }

  /** The leader before it has fenced them, and a watch of this one lags (seed 95020266). */
  @Test
  void shouldCountTheNodesOfAnotherProcessThatNoWatchHasShown() {
    FencesInMemory store = new FencesInMemory(Map::of);
    FenceSlotAllocator ledger =
        new FenceSlotAllocator(store, () -> NOW, SteadyClock.of(() -> 0), GroupCommit::threadSeat);
    store.put("node-1", "team/demo-r1 " + NOW);
    store.put("node-2", "team/demo-r1 " + NOW);
    store.fencedFor("node-1", NOW + " team");

    ledger.take("node-3", "r", limit("node-3"));
    assertThatThrownBy(() -> ledger.take("node-4", "r", limit("node-4")))
        .isInstanceOf(StaleException.class)
        .hasMessageContaining("the quota of namespace team: 2 nodes");
    assertThat(store.stored()).containsOnlyKeys("node-1", "node-2", "node-3");
  }

  /** The clock of the leader steps right after a fence that no watch has shown (seed 95024688). */
  @Test
  void shouldCountItsOwnFencesWhateverItsClockSays() {
    AtomicReference<Instant> now = new AtomicReference<>(NOW);
    FenceSlotAllocator ledger =
        new FenceSlotAllocator(
            new FencesInMemory(Map::of),
            now::get,
            SteadyClock.of(() -> 0),
            GroupCommit::threadSeat);
    ledger.take("node-1", "r", limit("node-1"));
    ledger.take("node-2", "r", limit("node-2"));
    now.set(NOW.plus(Duration.ofMinutes(42)));

    assertThatThrownBy(() -> ledger.take("node-3", "r", limit("node-3")))
        .isInstanceOf(StaleException.class)
        .hasMessageContaining("the quota of namespace team: 2 nodes");
  }

  private static FenceLimit limit(String node) {
    return FenceLimit.of(TWO.withMaxFencedNodes(50), List.of(), node, Set.of("team"), NOW);
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
}
