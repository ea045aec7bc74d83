package dev.rekindle.detect.stall;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class FileTimesTest {
  private static List<Long> millis(long... times) {
    return LongStream.of(times).map(time -> time * 1_000_000).boxed().toList();
  }

  private static boolean areOfCopies(long... times) {
    return FileTimes.areOfCopies(millis(times), millis(times));
  }

  @Test
  void shouldSeeFilesOfOneTime() {
    assertThat(areOfCopies(7_000, 7_000)).isTrue();
    assertThat(areOfCopies(7_004, 7_000, 7_008)).isTrue();
  }

  @Test
  void shouldSeeFilesCopiedOneAfterTheOther() {
    assertThat(areOfCopies(7_000, 7_100, 7_200, 7_350)).isTrue();
    assertThat(areOfCopies(7_000, 8_000, 8_000, 9_100, 9_900, 11_000, 12_000)).isTrue();
  }

  /** Names in which 10 comes before 2. */
  @Test
  void shouldSeeFilesCopiedByTheirNames() {
    assertThat(
            FileTimes.areOfCopies(
                millis(7_000, 7_100, 7_050, 7_150), millis(7_000, 7_050, 7_100, 7_150)))
        .isTrue();
  }

  @Test
  void shouldBelieveOneFile() {
    assertThat(areOfCopies(7_000)).isFalse();
    assertThat(areOfCopies()).isFalse();
  }

  @Test
  void shouldBelieveFewThatAreInOrderByChance() {
    assertThat(areOfCopies(7_000, 7_100, 7_200)).isFalse();
    assertThat(areOfCopies(7_000, 7_500, 7_600, 7_700)).isFalse();
  }

  /** Each rank writes within a second, as it comes to its poll. */
  @Test
  void shouldBelieveProcessesThatPoll() {
    var random = new Random(94_110_000);
    int copies = 0;
    for (int i = 0; i < 2_000; i++) {
      int ranks = 3 + random.nextInt(60);
      var times = random.longs(ranks, 0, 1_000).toArray();
      copies += areOfCopies(times) ? 1 : 0;
    }
    assertThat(copies).isLessThan(10);
  }
}
