package dev.rekindle.simulator.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.simulator.engine.Loop;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Objects as they are deleted. */
class CollectionDeletionTest extends CollectionFixture {
  // --- deletion -----------------------------------------------------------------------------

  @Test
  void shouldDeleteAtOnceWhatNothingHolds() {
    plain.create(Thing.named("a"));
    plain.delete(A, "", Duration.ofSeconds(10));
    assertThat(plain.find(A)).isEmpty();
  }

  @Test
  void shouldDeleteOnlyTheObjectOfThatUid() {
    Thing old = plain.create(Thing.named("a"));
    plain.delete(A, old.meta().uid(), null);
    Thing next = plain.create(Thing.named("a"));
    refused(ApiError.CONFLICT, () -> plain.delete(A, old.meta().uid(), null));
    plain.remove(A, old.meta().uid());
    assertThat(plain.get(A)).isEqualTo(next);
    plain.remove(A, next.meta().uid());
    assertThat(plain.find(A)).isEmpty();
  }

  /** As a real API server was seen to answer; a grace of -1 stands for none requested. */
  @ParameterizedTest
  @CsvSource({
    // grace, deadline
    "-1, 30",
    "5, 5",
    "60, 60",
  })
  void shouldKeepAnObjectThatEndsGracefully(int asked, int deadline) {
    loop.moveTo(10_000_000);
    graceful.create(Thing.named("a"));
    graceful.delete(A, "", grace(asked));
    Meta meta = graceful.get(A).meta();
    assertThat(meta.terminating()).isTrue();
    assertThat(meta.deletionGrace()).isEqualTo(deadline);
    assertThat(meta.deletionDeadline()).isEqualTo(Loop.T0.plusSeconds(10 + deadline));
  }

  /**
   * Of two deletions, four seconds apart: the shorter grace period counts, from the first on, and a
   * longer one is no write.
   */
  @ParameterizedTest
  @CsvSource({
    // first, second, in the object, deadline, written
    "30, 5, 5, 15, true",
    "30, 1, 1, 11, true",
    "5, 30, 5, 15, false",
    "5, 5, 5, 15, false",
    "5, -1, 5, 15, false",
    "-1, 2, 2, 12, true",
  })
  void shouldKeepTheShorterOfTwoGracePeriods(
      int first, int second, long kept, int deadline, boolean written) {
    loop.moveTo(10_000_000);
    graceful.create(Thing.named("a"));
    graceful.delete(A, "", grace(first));
    Meta before = graceful.get(A).meta();
    List<Change<Thing>> changes = watch(graceful);
    loop.moveTo(14_000_000);
    graceful.delete(A, "", grace(second));
    Meta meta = graceful.get(A).meta();
    assertThat(meta.deletionGrace()).isEqualTo(kept);
    assertThat(meta.deletionDeadline()).isEqualTo(Loop.T0.plusSeconds(deadline));
    assertThat(changes).hasSize(written ? 1 : 0);
    assertThat(meta.version() > before.version()).isEqualTo(written);
  }

  @Test
  void shouldRemoveByForceWhatEndsGracefully() {
    graceful.create(Thing.named("a"));
    graceful.delete(A, "", null);
    graceful.delete(A, "", Duration.ZERO);
    assertThat(graceful.find(A)).isEmpty();
  }

  @Test
  void shouldKeepWhatAFinalizerHoldsUntilItLetsGo() {
    graceful.create(Thing.named("a").heldBy("x", "y"));
    loop.moveTo(3_000_000);
    graceful.delete(A, "", Duration.ZERO);
    Meta held = graceful.get(A).meta();
    graceful.patch(A, t -> t.heldBy("y"));
    assertThat(held.deletionGrace()).isZero();
    assertThat(held.deletionDeadline()).isEqualTo(Loop.T0.plusSeconds(3));
    assertThat(graceful.find(A)).isPresent();
    graceful.patch(A, t -> t.heldBy());
    assertThat(graceful.find(A)).isEmpty();
  }

  @Test
  void shouldKeepWhatAFinalizerHasLetGoWhileItsGracePeriodRuns() {
    graceful.create(Thing.named("a").heldBy("x"));
    graceful.delete(A, "", Duration.ofSeconds(5));
    graceful.patch(A, t -> t.heldBy());
    assertThat(graceful.find(A)).isPresent();
  }

  @Test
  void shouldKeepWhatLosesItsFinalizerWithoutBeingDeleted() {
    plain.create(Thing.named("a").heldBy("x"));
    plain.patch(A, t -> t.heldBy());
    assertThat(plain.find(A)).isPresent();
  }

  @Test
  void shouldDeliverADeletionHeldByAFinalizerAsThreeWrites() {
    plain.create(Thing.named("a").heldBy("x"));
    List<Change<Thing>> changes = watch(plain);
    plain.delete(A, "", null);
    plain.patch(A, t -> t.saying("last words"));
    plain.patch(A, t -> t.heldBy());
    assertThat(changes).extracting(c -> c.after() != null).containsExactly(true, true, false);
    assertThat(changes).extracting(Change::version).isSorted().doesNotHaveDuplicates();
  }

  @org.jspecify.annotations.Nullable
  private static Duration grace(int seconds) {
    return seconds < 0 ? null : Duration.ofSeconds(seconds);
  }
}
