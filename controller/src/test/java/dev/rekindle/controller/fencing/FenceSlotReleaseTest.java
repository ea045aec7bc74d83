package dev.rekindle.controller.fencing;

import static dev.rekindle.controller.Given.T0;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rekindle.controller.model.FenceLimit;
import dev.rekindle.controller.port.ClusterGateway.BreakerFullException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** How slots are given back. */
class FenceSlotReleaseTest extends FenceSlotFixture {
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
  void shouldFreeThePlaceThatAnotherTookByAClockThatWasAhead() {
    store.put("node-7", "team/died-r1 " + T0.plusSeconds(50));
    assertThatThrownBy(() -> ledger.take("node-1", "r", FenceLimit.of(1)))
        .isInstanceOf(BreakerFullException.class);
    nanos = Duration.ofSeconds(60).toNanos();
    now = T0.plusSeconds(60);
    assertThatThrownBy(() -> ledger.take("node-1", "r", FenceLimit.of(1)))
        .as("its cordon may still be under way")
        .isInstanceOf(BreakerFullException.class);
    nanos++;
    ledger.take("node-1", "r", FenceLimit.of(1));
    assertThat(store.stored()).containsOnlyKeys("node-1");
  }

  @Test
  void shouldKeepThePlaceThatAnotherTookAgainMeanwhile() {
    store.put("node-7", "team/died-r1 " + T0.plusSeconds(50));
    assertThatThrownBy(() -> ledger.take("node-1", "r", FenceLimit.of(1)))
        .isInstanceOf(BreakerFullException.class);
    nanos = Duration.ofSeconds(61).toNanos();
    now = T0.plusSeconds(61);
    store.put("node-7", "team/other-r1 " + T0.plusSeconds(50 + 61));
    assertThatThrownBy(() -> ledger.take("node-1", "r", FenceLimit.of(1)))
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
