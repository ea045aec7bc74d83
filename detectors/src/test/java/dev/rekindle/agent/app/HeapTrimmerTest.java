package dev.rekindle.agent.app;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class HeapTrimmerTest {
  private long used = 10 << 20;
  private long alive = 10 << 20;
  private int collections;
  private final HeapTrimmer old =
      new HeapTrimmer(
          () -> used,
          () -> {
            used = alive;
            collections++;
          });

  private int collectionsWith(long bytes) {
    used = bytes;
    old.check();
    return collections;
  }

  @Test
  void shouldCollectWhenItHasGrownAndNotBefore() {
    assertThat(collectionsWith(10 << 20)).as("the first check").isZero();
    assertThat(collectionsWith((10 << 20) + HeapTrimmer.GROWTH)).isZero();
    assertThat(collectionsWith((10 << 20) + HeapTrimmer.GROWTH + 1)).isEqualTo(1);
    assertThat(collectionsWith(11 << 20)).as("it is small again").isEqualTo(1);
  }

  @Test
  void shouldCollectOnlyAfterFurtherGrowthWhenAllOfItLives() {
    assertThat(collectionsWith(10 << 20)).isZero();
    alive = 20 << 20;
    assertThat(collectionsWith(20 << 20)).isEqualTo(1);
    assertThat(collectionsWith(21 << 20)).isEqualTo(1);
    assertThat(collectionsWith((20 << 20) + HeapTrimmer.GROWTH + 1)).isEqualTo(2);
  }

  @Test
  void shouldMeasureGrowthFromTheLeastWhenAnotherUserHasCollected() {
    assertThat(collectionsWith(20 << 20)).isZero();
    assertThat(collectionsWith(10 << 20)).isZero();
    assertThat(collectionsWith(13 << 20)).isEqualTo(1);
  }

  @Test
  void shouldReadThisProcess() {
    HeapTrimmer.ofThisProcess().check();
  }
}
