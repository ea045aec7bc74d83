package dev.rekindle.controller.fencing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rekindle.controller.model.FenceLimit;
import dev.rekindle.controller.port.ClusterGateway.BreakerFullException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** How slots are taken. */
class FenceSlotAllocatorTest extends FenceSlotFixture {
  private final List<Thread> threads = new ArrayList<>();

  @Test
  void shouldLetOneOfTwoHaveTheLastPlace() {
    store.beforeNextWrite(() -> ledgerOfAnother().take("node-1", "r1", FenceLimit.of(1)));

    assertThatThrownBy(() -> ledger.take("node-2", "r2", FenceLimit.of(1)))
        .isInstanceOf(BreakerFullException.class)
        .hasMessageContaining("node node-2 would pass the limit of 1")
        .hasMessageContaining("1 (node-1)");
    assertThat(store.stored()).containsOnlyKeys("node-1");
  }

  @Test
  void shouldNeverHandOutMorePlacesThanTheLimitHoweverManyAsk() throws Exception {
    try (ExecutorService all = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Callable<Boolean>> takers = new ArrayList<>();
      for (int i = 0; i < 40; i++) {
        String node = "node-" + i;
        takers.add(
            () -> {
              try {
                ledgerOfAnother().take(node, "r", FenceLimit.of(5));
                return true;
              } catch (BreakerFullException full) {
                return false;
              }
            });
      }
      int granted = 0;
      for (Future<Boolean> taker : all.invokeAll(takers)) {
        granted += taker.get() ? 1 : 0;
      }
      assertThat(granted).isEqualTo(5);
    }
    assertThat(store.stored()).hasSize(5);
  }

  @Test
  void shouldTakeManyPlacesWithOneWriteAndNoMoreThanThereAre() throws Exception {
    FenceLimit three = FenceLimit.of(3);
    Map<String, String> refused = new ConcurrentHashMap<>();
    meanwhile(
        Stream.of("node-1", "node-2", "node-3", "node-2").map(n -> () -> take(n, three, refused)));
    ledger.take("node-0", "r", three);
    join();
    assertThat(store.writes()).isEqualTo(2);
    assertThat(store.stored()).containsOnlyKeys("node-0", "node-1", "node-2");
    assertThat(refused).containsOnlyKeys("node-3");
    assertThat(refused.get("node-3")).contains("node node-3 would pass the limit of 3 in all");
  }

  @Test
  void shouldGiveManyPlacesBackAndTakeOthersWithOneWrite() throws Exception {
    List<String> nodes = List.of("node-1", "node-2", "node-3");
    nodes.forEach(node -> ledger.take(node, "r", FenceLimit.of(3)));
    int before = store.writes();
    meanwhile(
        Stream.concat(
            nodes.stream().map(node -> () -> ledger.release(node, () -> true)),
            Stream.of(() -> ledger.take("node-4", "r", FenceLimit.of(2)))));
    ledger.take("node-0", "r", FenceLimit.of(4));
    join();
    assertThat(store.writes()).isEqualTo(before + 2);
    assertThat(store.stored()).containsOnlyKeys("node-0", "node-4");
  }

  @Test
  void shouldNotReadWhatItHasWrittenItself() {
    ledger.take("node-1", "r", FenceLimit.of(3));
    int before = store.reads();
    ledger.take("node-2", "r", FenceLimit.of(3));
    assertThat(store.reads()).isEqualTo(before);
    ledgerOfAnother().take("node-3", "r", FenceLimit.of(3));
    assertThatThrownBy(() -> ledger.take("node-4", "r", FenceLimit.of(3)))
        .as("another has written meanwhile")
        .isInstanceOf(BreakerFullException.class);
    ledger.take("node-4", "r", FenceLimit.of(4));
    assertThat(store.stored()).containsOnlyKeys("node-1", "node-2", "node-3", "node-4");
  }

  @Test
  void shouldRefuseNoneByWhatItKnew() {
    ledger.take("node-1", "r", FenceLimit.of(1));
    store.remove("node-1");
    ledger.take("node-2", "r", FenceLimit.of(1));
    assertThat(store.stored()).containsOnlyKeys("node-2");
  }

  /** Does these while the next write is under way, each once the one before waits for it. */
  private void meanwhile(Stream<Runnable> actions) {
    List<Runnable> all = actions.toList();
    store.beforeNextWrite(
        () -> {
          for (Runnable action : all) {
            threads.add(Thread.startVirtualThread(action));
            waiting.acquireUninterruptibly();
          }
        });
  }

  private void join() throws InterruptedException {
    for (Thread thread : threads) {
      thread.join();
    }
  }

  @Test
  void shouldWriteNothingWhereNoneGetsASlot() {
    assertThatThrownBy(() -> ledger.take("node-1", "r", FenceLimit.of(0)))
        .isInstanceOf(BreakerFullException.class)
        .hasMessageContaining("limit of 0");
    assertThat(store.writes()).isZero();
  }

  @Test
  void shouldKeepToTheLimitOfAPool() {
    FenceLimit.Pool pool = new FenceLimit.Pool("rack=a", Set.of("node-1", "node-2"), 1, "50 %");
    FenceLimit limit = new FenceLimit(10, "maxFencedNodes", pool);
    ledger.take("node-1", "r", limit);
    ledger.take("node-9", "r", FenceLimit.of(10));

    assertThatThrownBy(() -> ledger.take("node-2", "r", limit))
        .isInstanceOf(BreakerFullException.class)
        .hasMessageContaining("1 in pool rack=a (50 %)");
  }

  @Test
  void shouldCountTheNodesThatWereFencedBeforeThereWasALedger() {
    seen.put("node-8", "team/old-r1");
    seen.put("node-9", "team/old-r2");

    assertThatThrownBy(() -> ledger.take("node-1", "r", FenceLimit.of(2)))
        .isInstanceOf(BreakerFullException.class);
    ledger.take("node-1", "r", FenceLimit.of(3));
    assertThat(store.stored()).containsOnlyKeys("node-1", "node-8", "node-9");
  }
}
