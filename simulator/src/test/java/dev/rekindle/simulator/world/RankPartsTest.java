package dev.rekindle.simulator.world;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.controller.model.Inspection.Checkpoint;
import dev.rekindle.simulator.engine.Loop;
import dev.rekindle.simulator.setup.NodeSetup;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Parts of the ranks of two pods with two GPUs each. */
class RankPartsTest {
  private final Machine a = machine("a");
  private final Machine b = machine("b");
  private final Machine c = machine("c");

  @Test
  void shouldShowEachPartInTheFolderOfItsRank() {
    Storage storage = saved(1, a, b);

    assertThat(storage.judged(b, at(200), at(200)))
        .extracting(Checkpoint::path)
        .containsExactly(
            "/ckpt/run/2/iter_0000010_2_local.pt", "/ckpt/run/3/iter_0000010_3_local.pt");
    assertThat(storage.copies(at(200)).newest(List.of("a", "b"))).isEqualTo(10);
    assertThat(storage.copies(at(200)).newest(List.of("a"))).isZero();
  }

  @Test
  void shouldFindThePartsOfANodeThatIsAwayWhereItsPeerKeepsCopies() {
    Storage one = saved(1, a, b);
    Storage two = saved(2, a, b);

    one.meets(List.of(a, c), 2);
    two.meets(List.of(a, c), 2);

    assertThat(one.newest(at(200))).isZero();
    assertThat(two.newest(at(200))).isEqualTo(10);
    assertThat(two.valid(10, at(200))).isTrue();
  }

  /** A rank reads its own folder only. */
  @Test
  void shouldFindNothingWhereRanksHaveChangedPlaces() {
    Storage storage = saved(2, a, b);

    storage.meets(List.of(b, a), 2);

    assertThat(storage.newest(at(200))).isZero();
    assertThat(storage.copies(at(200)).newest(List.of("a", "b"))).isEqualTo(10);
  }

  @Test
  void shouldLeaveAFileOfAnEarlierCourseBesideOneThatWasCutOff() {
    Storage storage = saved(1, a, b);
    storage.begins();
    storage.cutOff(10, at(300), at(400), at(301), true);

    assertThat(storage.judged(a, at(500), at(500)))
        .extracting(Checkpoint::path)
        .contains(
            "/ckpt/run/0/iter_0000010_0_local.pt", "/ckpt/run/0/iter_0000010_0_local.dirty.pt");
    assertThat(storage.newest(at(500))).isEqualTo(10);
  }

  @Test
  void shouldNotLoadAPartThatWasTorn() {
    Storage storage = saved(1, a, b);

    storage.tearNewest(at(200));

    assertThat(storage.newest(at(200))).as("by its name").isEqualTo(10);
    assertThat(storage.valid(10, at(200))).isFalse();
    assertThat(storage.newestValid(at(200))).isZero();
  }

  private static Storage saved(int copies, Machine... machines) {
    Storage storage = new Storage(false, copies);
    storage.meets(List.of(machines), 2);
    storage.begins();
    storage.written(10, at(100), at(105));
    return storage;
  }

  private static Machine machine(String name) {
    return new Machine(new NodeSetup(name, "leaf-0", 8, true), () -> Loop.T0);
  }

  private static Instant at(int seconds) {
    return Loop.T0.plusSeconds(seconds);
  }
}
