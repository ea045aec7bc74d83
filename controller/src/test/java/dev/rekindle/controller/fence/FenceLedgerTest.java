package dev.rekindle.controller.fence;

import static dev.rekindle.controller.Given.T0;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rekindle.controller.cluster.ClusterGateway.BreakerFullException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class FenceLedgerTest {
  private final Map<String, String> seen = new HashMap<>();
  private final FencesInMemory store = new FencesInMemory(() -> Map.copyOf(seen));
  private Instant now = T0;
  private final FenceLedger ledger = new FenceLedger(store, () -> now);

  @Test
  void shouldLetOneOfTwoHaveTheLastPlace() {
    store.beforeNextWrite(
        () -> new FenceLedger(store, () -> now).take("node-1", "r1", FenceLimit.of(1)));

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
                new FenceLedger(store, () -> now).take(node, "r", FenceLimit.of(5));
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
  void shouldTakeManyPlacesWithOneWriteAndNoMoreThanThereAre() {
    List<FenceLedger.Request> requests =
        Stream.of("node-1", "node-2", "node-3", "node-2")
            .map(n -> new FenceLedger.Request(n, "fault/" + n, FenceLimit.of(2)))
            .toList();

    List<String> refusals = ledger.take(requests);

    assertThat(store.writes()).isEqualTo(1);
    assertThat(store.stored()).containsOnlyKeys("node-1", "node-2");
    assertThat(refusals.get(0)).isEmpty();
    assertThat(refusals.get(1)).isEmpty();
    assertThat(refusals.get(2)).contains("node node-3 would pass the limit of 2 in all");
    assertThat(refusals.get(3)).as("it has its place").isEmpty();
  }

  @Test
  void shouldWriteNothingWhereNobodyGetsAPlace() {
    assertThat(ledger.take(List.of(new FenceLedger.Request("node-1", "r", FenceLimit.of(0)))))
        .first()
        .asString()
        .contains("limit of 0");
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
  void shouldFreeAtOnceThePlaceOfANodeThatTheCacheShowedMarkedTooLong() {
    seen.put("node-9", "team/old-r1");
    ledger.take("node-1", "r", FenceLimit.of(2));
    seen.clear();

    ledger.take("node-2", "r", FenceLimit.of(2));

    assertThat(store.stored()).containsOnlyKeys("node-1", "node-2");
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
