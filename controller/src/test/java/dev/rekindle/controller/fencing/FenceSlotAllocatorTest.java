package dev.rekindle.controller.fencing;

import static dev.rekindle.controller.Given.T0;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rekindle.controller.model.FenceLimit;
import dev.rekindle.controller.port.ClusterGateway.BreakerFullException;
import dev.rekindle.controller.runtime.GroupCommit;
import dev.rekindle.detect.SteadyClock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class FenceSlotAllocatorTest {
  private final Map<String, String> seen = new HashMap<>();
  private final FencesInMemory store = new FencesInMemory(() -> Map.copyOf(seen));
  private Instant now = T0;
  private long nanos;
  private final FenceSlotAllocator ledger = ledgerOfAnother();

  private FenceSlotAllocator ledgerOfAnother() {
    return new FenceSlotAllocator(store, () -> now, SteadyClock.of(() -> nanos), this::seat);
  }

  private final Semaphore waiting = new Semaphore(0);
  private final List<Thread> threads = new ArrayList<>();

  /** A seat that says when somebody sits down. */
  private GroupCommit.Seat seat() {
    GroupCommit.Seat seat = GroupCommit.threadSeat();
    return new GroupCommit.Seat() {
      @Override
      public void await() {
        waiting.release();
        seat.await();
      }

      @Override
      public void wake() {
        seat.wake();
      }
    };
  }

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

  private void take(String node, FenceLimit limit, Map<String, String> refused) {
    try {
      ledger.take(node, "r", limit);
    } catch (BreakerFullException full) {
      refused.put(node, String.valueOf(full.getMessage()));
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

  @Test
  void shouldFreeThePlaceOfACordonThatNeverHappenedAndOnlyThat() {
    store.put("node-7", "team/died-r1 " + T0);
    store.put("node-8", "team/done-r1 " + T0);
    store.mark("node-8");

    now = T0.plusSeconds(60);
    assertThatThrownBy(() -> ledger.take("node-1", "r", FenceLimit.of(2)))
        .as("it may still be under way")
        .isInstanceOf(BreakerFullException.class);
    now = T0.plusSeconds(61);
    ledger.take("node-1", "r", FenceLimit.of(2));
    assertThat(store.stored()).containsOnlyKeys("node-1", "node-8");
    assertThatThrownBy(() -> ledger.take("node-2", "r", FenceLimit.of(2)))
        .isInstanceOf(BreakerFullException.class);
  }

  @Test
  void shouldKeepThePlaceOfItsOwnCordonUnderWayWhenItsClockIsSet() {
    ledger.take("node-1", "r", FenceLimit.of(1));

    now = T0.minus(Duration.ofMinutes(54));
    nanos = Duration.ofSeconds(60).toNanos();
    assertThatThrownBy(() -> ledger.take("node-2", "r", FenceLimit.of(1)))
        .isInstanceOf(BreakerFullException.class);
    nanos++;
    ledger.take("node-2", "r", FenceLimit.of(1));
    assertThat(store.stored()).containsOnlyKeys("node-2");
  }

  @Test
  void shouldFreeAtOnceThePlaceOfANodeThatTheCacheShowedMarkedTooLong() {
    seen.put("node-9", "team/old-r1");
    ledger.take("node-1", "r", FenceLimit.of(2));
    seen.clear();

    ledger.take("node-2", "r", FenceLimit.of(2));

    assertThat(store.stored()).containsOnlyKeys("node-1", "node-2");
  }

  @Test
  void shouldFreeAtOnceThePlaceOfANodeThatIsGone() {
    store.registered("node-1", "uid-1");
    ledger.take("node-1", "uid-1", "r", FenceLimit.of(1));
    assertThatThrownBy(() -> ledgerOfAnother().take("node-2", "uid-2", "r", FenceLimit.of(1)))
        .as("its cordon may be under way")
        .isInstanceOf(BreakerFullException.class);

    store.deleted("node-1");
    ledger.take("node-2", "uid-2", "r", FenceLimit.of(1));

    assertThat(store.stored()).containsOnlyKeys("node-2");
  }

  @Test
  void shouldFreeAtOnceThePlaceOfANodeWhoseNameAnotherOneHas() {
    store.registered("node-1", "uid-1");
    ledger.take("node-1", "uid-1", "r", FenceLimit.of(1));

    store.registered("node-1", "uid-9");
    ledgerOfAnother().take("node-2", "uid-2", "r", FenceLimit.of(1));

    assertThat(store.stored()).containsOnlyKeys("node-2");
  }

  @Test
  void shouldTakeThePlaceAgainWhenItWasStoredTooLateToBeOfUse() {
    store.beforeNextWrite(() -> now = T0.plusSeconds(30));

    ledger.take("node-1", "r", FenceLimit.of(1));

    assertThat(store.stored()).containsEntry("node-1", "r " + T0.plusSeconds(30));
    assertThat(store.writes()).isEqualTo(2);
  }

  @Test
  void shouldGiveThePlaceBackAfterTheFenceIsLifted() {
    ledger.take("node-1", "r", FenceLimit.of(1));

    ledger.release(
        "node-1",
        () -> {
          assertThat(store.stored()).containsKey("node-1");
          return true;
        });

    assertThat(store.stored()).isEmpty();
  }

  @Test
  void shouldNotGiveBackThePlaceThatSomebodyTookWhileTheFenceWasLifted() {
    ledger.take("node-1", "r", FenceLimit.of(1));
    now = T0.plusSeconds(1);

    ledger.release(
        "node-1",
        () -> {
          ledger.take("node-1", "r", FenceLimit.of(1));
          return true;
        });

    assertThat(store.stored()).containsOnlyKeys("node-1");
  }

  @Test
  void shouldGiveAPlaceBackAndTakeNoneForMarksThatACacheStillShows() {
    List.of("node-1", "node-2").forEach(node -> ledger.take(node, "r", FenceLimit.of(2)));
    seen.putAll(Map.of("node-1", "r", "node-2", "r"));

    ledger.release("node-1", () -> true);
    ledger.release("node-2", () -> true);

    assertThat(store.stored()).isEmpty();
  }

  @Test
  void shouldKeepThePlaceOfACordonUnderWayWhenThereIsNoFenceToLift() {
    ledger.take("node-1", "r", FenceLimit.of(1));

    ledger.release("node-1", () -> false);

    assertThat(store.stored()).containsOnlyKeys("node-1");
  }

  @Test
  void shouldReleaseWhileTheBreakerIsFullAndWhereNothingIsStored() {
    ledger.release("node-1", () -> true);
    assertThat(store.stored()).isEmpty();
    store.put("node-1", "nonsense");
    store.put("node-2", "nonsense");
    ledger.release("node-2", () -> true);
    assertThat(store.stored()).containsOnlyKeys("node-1");
  }
}
