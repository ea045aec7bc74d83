package dev.rekindle.controller.fencing;

import static dev.rekindle.controller.Given.T0;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.controller.model.FenceLimit;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class FenceSlotsTest {
  @Test
  void shouldReadWhatItWrites() {
    FenceSlots slots =
        FenceSlots.NONE
            .with(Map.of("node-9", "team/old-r1"))
            .take("node-1", "team/demo-r1", FenceLimit.of(3), T0)
            .orElseThrow();

    assertThat(slots.format())
        .containsOnly(
            Map.entry("node-1", "team/demo-r1 2026-11-21T06:00:00Z"),
            Map.entry("node-9", "team/old-r1"));
    assertThat(FenceSlots.parse(slots.format())).isEqualTo(slots);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " ", "yes", "team/r1 yesterday", "a b c", "2026", "\n\t", "\u0000"})
  void shouldTakeAnEntryThatMakesNoSenseForAPlaceOfAnUnknownTime(String text) {
    FenceSlots slots = FenceSlots.parse(Map.of("node-1", text));

    assertThat(slots.of("node-1").orElseThrow().since()).isNull();
    assertThat(slots.take("node-2", "r", FenceLimit.of(1), T0)).isEmpty();
    assertThat(slots.doubtful(Set.of(), T0)).containsExactly("node-1");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "..", "README", "node_1", "-n", "n-", "a/b", "\u00e4"})
  void shouldPassOverWhatCannotBeANode(String name) {
    assertThat(FenceSlots.parse(Map.of(name, "r " + T0)).slots()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"0, 0, false", "0, 1, true", "2, 2, false", "2, 3, true", "3, 2, false"})
  void shouldHandOutAsManyPlacesAsTheLimitAllows(int taken, int limit, boolean granted) {
    assertThat(taken(taken).take("new", "r", FenceLimit.of(limit), T0).isPresent())
        .isEqualTo(granted);
  }

  @Test
  void shouldLetANodeKeepItsPlaceWithoutTakingASecond() {
    FenceSlots slots = taken(2);

    FenceSlots again =
        slots.take("node-0", "team/other-r1", FenceLimit.of(2), T0.plusSeconds(5)).orElseThrow();

    assertThat(again.slots()).hasSize(2);
    assertThat(again.of("node-0")).contains(new FenceSlot("team/other-r1", T0.plusSeconds(5)));
    assertThat(slots.take("node-0", "r", FenceLimit.of(1), T0))
        .as("the limit was lowered")
        .isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"0, false", "60, false", "61, true", "-60, false", "-61, true"})
  void shouldDoubtAPlaceOnceItsCordonMustBeDone(int age, boolean doubtful) {
    assertThat(taken(1).doubtful(Set.of(), T0.plusSeconds(age))).hasSize(doubtful ? 1 : 0);
    assertThat(taken(1).doubtful(Set.of("node-0"), T0.plusSeconds(age)))
        .as("seen with our mark")
        .isEmpty();
  }

  @Test
  void shouldGiveBackThisVeryPlaceOnly() {
    FenceSlot old = new FenceSlot("team/demo-r1", T0);
    FenceSlots slots = FenceSlots.parse(Map.of("node-1", "team/demo-r1 " + T0));
    FenceSlots retaken =
        slots.take("node-1", "team/demo-r1", FenceLimit.of(1), T0.plusSeconds(1)).orElseThrow();

    assertThat(slots.without("node-1", old).slots()).isEmpty();
    assertThat(retaken.without("node-1", old)).isEqualTo(retaken);
    assertThat(slots.without("node-2", old)).isEqualTo(slots);
  }

  @Test
  void shouldCountAMarkedNodeOnceAndKeepWhatIsKnownOfIt() {
    FenceSlots slots = taken(1).with(Map.of("node-0", "team/x-r1", "node-7", "team/y-r1"));

    assertThat(slots.of("node-0")).contains(new FenceSlot("r", T0));
    assertThat(slots.of("node-7")).contains(new FenceSlot("team/y-r1", null));
  }

  @Test
  void shouldKeepWhichNodeAPlaceIsFor() {
    FenceSlot slot =
        new FenceSlot("fault/node-1-xid-79", "0a1b2c3d-0000-4000-8000-000000000001", T0);
    FenceSlots slots = FenceSlots.NONE.take("node-1", slot, FenceLimit.of(1)).orElseThrow();

    assertThat(FenceSlots.parse(slots.format()).of("node-1")).contains(slot);
    assertThat(slots.ofCertainNodes(Set.of())).containsExactly("node-1");
    assertThat(slots.ofCertainNodes(Set.of("node-1"))).isEmpty();
    assertThat(FenceSlots.parse(Map.of("node-1", "fault/x " + T0)).ofCertainNodes(Set.of()))
        .as("written by an older release")
        .isEmpty();
  }

  /** A ConfigMap holds one MiB. */
  @Test
  void shouldFitIntoOneObjectWhateverThePolicyAllows() {
    Map<String, String> marked = new HashMap<>();
    for (int i = 0; i < FenceLimit.MOST - 1; i++) {
      marked.put("n".repeat(248) + "%05d".formatted(i), "r".repeat(500));
    }
    FenceSlots slots = FenceSlots.NONE;
    for (Map.Entry<String, String> node : marked.entrySet()) {
      slots = slots.with(Map.of(node.getKey(), node.getValue()));
    }
    FenceSlots most =
        slots
            .take(
                "last",
                "r".repeat(500),
                FenceLimit.of(100_000),
                Instant.EPOCH.plus(Duration.ofNanos(1)))
            .orElseThrow();

    assertThat(most.take("one-more", "r", FenceLimit.of(100_000), T0)).isEmpty();
    int bytes =
        most.format().entrySet().stream()
            .mapToInt(e -> (e.getKey() + e.getValue()).getBytes(StandardCharsets.UTF_8).length)
            .sum();
    int uid = 37;
    assertThat(bytes + FenceLimit.MOST * (31 + uid)).isLessThan(1 << 20);
  }

  private static FenceSlots taken(int count) {
    FenceSlots slots = FenceSlots.NONE;
    for (int i = 0; i < count; i++) {
      slots = slots.take("node-" + i, "r", FenceLimit.of(100), T0).orElseThrow();
    }
    return slots;
  }
}
