package dev.rekindle.simulator.world;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.rekindle.controller.model.Inspection.Checkpoint;
import dev.rekindle.simulator.engine.Loop;
import dev.rekindle.simulator.setup.NodeSetup;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class StorageTest {
  private final Storage storage = new Storage();

  @Test
  void shouldBeEmptyAtFirst() {
    assertThat(storage.newestValid(at(0))).isZero();
    assertThat(storage.newest(at(0))).isZero();
    assertThat(storage.judged(at(0))).isEmpty();
    assertThat(storage.valid(0, at(0))).as("a beginning needs none").isTrue();
    assertThat(storage.valid(10, at(0))).isFalse();
  }

  @Test
  void shouldHaveACheckpointOnceItIsCompleteAndAFileOnceItIsBegun() {
    storage.written(10, at(100), at(105));

    assertThat(storage.newest(at(99))).isZero();
    assertThat(storage.newest(at(100))).isEqualTo(10);
    assertThat(storage.newestValid(at(104))).isZero();
    assertThat(storage.newestValid(at(105))).isEqualTo(10);
    assertThat(storage.valid(10, at(104))).isFalse();
    assertThat(storage.valid(10, at(105))).isTrue();
  }

  @Test
  void shouldPassOverAFileThatWasCutOff() {
    storage.written(10, at(100), at(105));
    storage.cutOff(20, at(200));

    assertThat(storage.newestValid(at(1_000))).isEqualTo(10);
    assertThat(storage.newest(at(1_000))).isEqualTo(20);
    assertThat(storage.valid(20, at(1_000))).isFalse();
  }

  @Test
  void shouldCountWhatWasGivenUpOnlyWhereThereIsNothingElse() {
    storage.written(10, at(100), at(105));
    storage.written(20, at(200), at(205));
    storage.written(30, at(300), at(305));

    storage.goBack(10);

    assertThat(storage.newestValid(at(400))).isEqualTo(10);
    assertThat(storage.newest(at(400))).as("what a script finds").isEqualTo(30);
    storage.written(20, at(400), at(405));
    assertThat(storage.newestValid(at(500))).isEqualTo(20);
    assertThat(storage.newestValidBefore(20, at(500))).isEqualTo(10);
    storage.forgetGoingBack();
    assertThat(storage.newestValid(at(500))).isEqualTo(30);
  }

  @Test
  void shouldTearTheNewestCompleteOneFromThenOn() {
    storage.written(10, at(100), at(105));
    storage.written(20, at(200), at(205));
    storage.cutOff(30, at(300));

    storage.tearNewest(at(400));

    assertThat(storage.newestValid(at(399))).isEqualTo(20);
    assertThat(storage.newestValid(at(400))).isEqualTo(10);
    storage.tearNewest(at(410));
    storage.tearNewest(at(420));
    assertThat(storage.newestValid(at(410))).isZero();
  }

  @Test
  void shouldReplaceAFileOfTheSameStep() {
    storage.cutOff(20, at(200));
    storage.written(20, at(300), at(305));

    assertThat(storage.newestValid(at(305))).isEqualTo(20);
    assertThat(storage.judged(at(305))).hasSize(1);
  }

  @Test
  void shouldKeepTheFourNewestSteps() {
    for (int step : new int[] {10, 30, 20, 50, 40, 60}) {
      storage.written(step, at(step), at(step));
    }

    assertThat(storage.judged(at(100)))
        .extracting(Checkpoint::step)
        .containsExactly(60L, 50L, 40L, 30L);
  }

  @Test
  void shouldShowAnInspectorWhatAFileIsWorthAtThatMoment() {
    storage.written(10, at(100), at(105));
    storage.written(20, at(200), at(205));

    assertThat(storage.judged(at(202)))
        .extracting(Checkpoint::step, Checkpoint::verdict)
        .containsExactly(tuple(20L, "Torn"), tuple(10L, "Valid"));
    assertThat(storage.judged(at(199))).extracting(Checkpoint::step).containsExactly(10L);
    assertThat(storage.judged(at(205)).getFirst().path()).isEqualTo("/ckpt/step-00000020.pt");
  }

  /** A copy on each node: what was cut off is complete on some of them alone. */
  @Test
  void shouldCountACopyOnlyWhereAllNodesHaveItOfOneSave() {
    Machine a = machine("a");
    Machine b = machine("b");
    Storage each = new Storage(true, 0);
    each.meets(List.of(a, b), 8);
    each.begins();
    each.written(10, at(100), at(105));
    assertThat(each.newestValid(at(105).plusMillis(1))).isEqualTo(10);

    // No other node has it.
    each.meets(List.of(a, machine("c")), 8);
    assertThat(each.newestValid(at(200))).isZero();
    assertThat(each.newest(at(200))).isZero();

    // Another course saves the same step where the first one has left a copy.
    each.meets(List.of(b, machine("c")), 8);
    each.begins();
    each.written(10, at(300), at(305));
    each.meets(List.of(a, b), 8);
    assertThat(each.valid(10, at(400))).as("it can be loaded").isTrue();
    assertThat(each.newestValid(at(400))).as("and is of two saves").isZero();
    assertThat(each.copies(at(400)).apart(each.disks(), 10)).isGreaterThan(Duration.ofMinutes(3));
  }

  @Test
  void shouldTearOneOfTheCopies() {
    Storage each = new Storage(true, 0);
    each.meets(List.of(machine("a"), machine("b")), 8);
    each.begins();
    each.written(10, at(100), at(105));

    each.tearNewest(at(200));

    assertThat(each.newestValid(at(199))).isEqualTo(10);
    assertThat(each.newestValid(at(200))).isZero();
    assertThat(each.copies(at(200)).isWhole(List.of("a"), 10))
        .isNotEqualTo(each.copies(at(200)).isWhole(List.of("b"), 10));
  }

  @Test
  void shouldHaveACutOffSaveCompleteOnTheFastDisksOnly() {
    Storage each = new Storage(true, 0);
    List<Machine> machines = Stream.of("a", "b", "c", "d").map(StorageTest::machine).toList();
    each.meets(machines, 8);
    each.begins();
    each.cutOff(10, at(100), at(200), at(175), false);

    assertThat(machines)
        .filteredOn(m -> each.copies(at(300)).isWhole(List.of(Storage.diskOf(m)), 10))
        .hasSizeBetween(1, 3);
    assertThat(each.newest(at(300))).isZero();
  }

  private static Machine machine(String name) {
    return new Machine(new NodeSetup(name, "leaf-0", 8, true), () -> Loop.T0);
  }

  private static Instant at(int seconds) {
    return Loop.T0.plusSeconds(seconds);
  }
}
