package dev.rekindle.simulator.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.simulator.engine.Loop;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Objects as they are created, written, selected and watched. */
class CollectionTest extends CollectionFixture {
  // --- writes -------------------------------------------------------------------------------

  @Test
  void shouldGiveANewObjectItsUidVersionAndTime() {
    loop.moveTo(7_000_000);
    Thing first = plain.create(Thing.named("a"));
    Thing second = plain.create(Thing.named("b"));
    assertThat(first.meta().created()).isEqualTo(Loop.T0.plusSeconds(7));
    assertThat(first.meta().uid()).isNotEmpty().isNotEqualTo(second.meta().uid());
    assertThat(second.meta().version()).isGreaterThan(first.meta().version());
    assertThat(plain.list()).containsExactly(first, second);
    assertThat(plain.get(A)).isEqualTo(first);
  }

  @Test
  void shouldGiveTheNextObjectOfANameAnotherUid() {
    Thing first = plain.create(Thing.named("a"));
    plain.delete(A, "", null);
    assertThat(plain.create(Thing.named("a")).meta().uid()).isNotEqualTo(first.meta().uid());
  }

  @Test
  void shouldRefuseASecondObjectOfAName() {
    Thing first = plain.create(Thing.named("a"));
    refused(ApiError.CONFLICT, () -> plain.create(Thing.named("a").saying("second")));
    assertThat(plain.get(A)).isEqualTo(first);
  }

  @Test
  void shouldRefuseAWriteToAnotherVersion() {
    Thing read = plain.create(Thing.named("a"));
    plain.patch(A, t -> t.saying("meanwhile"));

    refused(
        ApiError.CONFLICT, () -> plain.update(A, read.meta().version(), t -> t.saying("stale")));
    Thing again = plain.get(A);
    plain.update(A, again.meta().version(), t -> t.saying("fresh"));
    assertThat(plain.get(A).text()).isEqualTo("fresh");
    assertThat(plain.get(A).meta().uid()).isEqualTo(read.meta().uid());
  }

  @Test
  void shouldNotFindWhatIsNotThere() {
    assertThat(plain.find(A)).isEmpty();
    refused(ApiError.NOT_FOUND, () -> plain.get(A));
    refused(ApiError.NOT_FOUND, () -> plain.patch(A, t -> t));
    refused(ApiError.NOT_FOUND, () -> plain.update(A, 1, t -> t));
    refused(ApiError.NOT_FOUND, () -> plain.delete(A, "", null));
    refused(ApiError.NOT_FOUND, () -> plain.delete(A, "uid-of-old", null));
    plain.remove(A, "uid-of-old");
  }

  @Test
  void shouldWriteNothingWhereNothingChanges() {
    Thing before = plain.create(Thing.named("a"));
    List<Change<Thing>> changes = watch(plain);
    Thing patched = plain.patch(A, t -> t.saying(""));
    Thing updated = plain.update(A, before.meta().version(), t -> t);
    assertThat(patched).isEqualTo(before);
    assertThat(updated).isEqualTo(before);
    assertThat(plain.get(A).meta().version()).isEqualTo(before.meta().version());
    assertThat(changes).isEmpty();
  }

  // --- selectors ----------------------------------------------------------------------------

  @ParameterizedTest
  @CsvSource({
    "spec.shelf, low, a c",
    "spec.shelf, high, b",
    "spec.shelf, none, ''",
    "metadata.name, b, b",
    "metadata.name, team/b, ''",
  })
  void shouldSelectByAField(String field, String value, String names) {
    plain.create(Thing.named("a"));
    plain.create(Thing.named("b").on("high"));
    plain.create(Thing.named("c"));

    assertThat(
            String.join(" ", plain.list(field, value).stream().map(t -> t.meta().name()).toList()))
        .isEqualTo(names);
  }

  @Test
  void shouldRefuseASelectorOnAFieldThatTheKindDoesNotHave() {
    refused(ApiError.BAD_REQUEST, () -> plain.list("spec.text", "x"));
    refused(ApiError.BAD_REQUEST, () -> graceful.list("spec.shelf", "low"));
  }

  // --- watches and history ------------------------------------------------------------------

  @Test
  void shouldDeliverEveryWriteInOrderWithGrowingVersionsAcrossKinds() {
    List<Change<Thing>> changes = new ArrayList<>();
    plain.watch(changes::add);
    graceful.watch(changes::add);
    plain.create(Thing.named("a"));
    graceful.create(Thing.named("b"));
    plain.patch(A, t -> t.saying("x"));
    graceful.delete("team/b", "", Duration.ofSeconds(5));
    plain.delete(A, "", null);
    graceful.delete("team/b", "", Duration.ZERO);

    assertThat(changes)
        .extracting(Change::key)
        .containsExactly(A, "team/b", A, "team/b", A, "team/b");
    assertThat(changes).extracting(Change::version).isSorted().doesNotHaveDuplicates();
    assertThat(changes.get(0).before()).isNull();
    assertThat(changes.get(2).before()).isEqualTo(changes.get(0).after());
    assertThat(changes.get(2).object().meta().version()).isEqualTo(changes.get(2).version());
    assertThat(changes.get(4).after()).isNull();
    assertThat(changes.get(4).object().text()).isEqualTo("x");
  }

  @Test
  void shouldDeliverNothingMoreOnceUnwatched() {
    List<Change<Thing>> changes = new ArrayList<>();
    java.util.function.Consumer<Change<Thing>> watcher = changes::add;
    plain.watch(watcher);
    plain.create(Thing.named("a"));
    plain.unwatch(watcher);
    plain.create(Thing.named("b"));
    assertThat(changes).hasSize(1);
  }

  @Test
  void shouldKnowWhatHasChangedSinceAndHowItWasBefore() {
    plain.create(Thing.named("a"));
    plain.create(Thing.named("b"));
    Instant then = loop.instant();
    Map<String, Thing> as = Map.of(A, plain.get(A), "team/b", plain.get("team/b"));
    loop.moveTo(1_000_000);
    plain.patch(A, t -> t.saying("1"));
    plain.patch(A, t -> t.saying("2"));
    plain.delete("team/b", "", null);
    plain.create(Thing.named("c"));
    List<Change<Thing>> since = plain.since(then);

    assertThat(since).extracting(Change::key).containsExactly(A, A, "team/b", "team/c");
    assertThat(plain.before(since)).isEqualTo(as);
    assertThat(plain.before(List.of())).containsOnlyKeys(A, "team/c");
    assertThat(plain.since(loop.instant())).isEmpty();
  }

  @Test
  void shouldRememberOnlyTheLastChanges() {
    plain.create(Thing.named("a"));
    for (int i = 0; i < 1_000; i++) {
      String text = "t" + i;
      plain.patch(A, t -> t.saying(text));
    }

    List<Change<Thing>> since = plain.since(Instant.MIN);
    assertThat(since).hasSize(128);
    assertThat(since.getLast().object().text()).isEqualTo("t999");
    assertThat(Objects.requireNonNull(plain.before(since).get(A)).text()).isEqualTo("t871");
  }
}
