package dev.rekindle.controller.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** One number for scans of several nodes. */
class ScanRoundsTest {
  @Test
  void shouldContinueOnceEachNodeHasScannedTwice() {
    ScanRounds first = ScanRounds.next(null, Map.of("a", 10L, "b", 4L));
    assertThat(first.number()).isOne();
    assertThat(ScanRounds.next(first, Map.of("a", 30L, "b", 5L))).isEqualTo(first);

    ScanRounds second = ScanRounds.next(first, Map.of("a", 30L, "b", 6L));
    assertThat(second.number()).isEqualTo(2);
    assertThat(ScanRounds.next(second, Map.of("a", 31L, "b", 99L)).number()).isEqualTo(2);
  }

  @Test
  void shouldBeginAgainWithOtherNodes() {
    ScanRounds first = new ScanRounds(5, Map.of("a", 10L));

    assertThat(ScanRounds.next(first, Map.of("b", 90L)).number()).isOne();
  }

  /**
   * Whatever the nodes' pace and however late their reports are read: two rounds after a moment
   * each node has reported a scan that began after it.
   */
  @Test
  void shouldHaveAScanOfEachNodeFromAfterAMomentTwoRoundsLater() {
    for (int seed = 0; seed < 2_000; seed++) {
      Random random = new Random(seed);
      long[] length = {1 + random.nextInt(40), 1 + random.nextInt(40), 1 + random.nextInt(40)};
      long moment = 60L + random.nextInt(100);
      ScanRounds round = null;
      long floor = -1;
      for (long now = 50; now < 2_000; now += 1 + random.nextInt(30)) {
        round =
            ScanRounds.next(
                round, Map.of("0", now / length[0], "1", now / length[1], "2", now / length[2]));
        if (now >= moment && floor < 0) {
          // As the first read after the drain sets it.
          floor = round.number();
        }
        if (floor >= 0 && round.number() >= floor + 2) {
          for (long one : length) {
            long began = (now / one - 1) * one;
            assertThat(began).as("seed %d", seed).isGreaterThanOrEqualTo(moment);
          }
          break;
        }
      }
    }
  }
}
