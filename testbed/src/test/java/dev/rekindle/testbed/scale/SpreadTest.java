package dev.rekindle.testbed.scale;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class SpreadTest {
  @Test
  void aPercentileIsOneOfTheValues() {
    Spread hundred =
        Spread.ofNanos(
            LongStream.rangeClosed(1, 100).mapToObj(i -> (101 - i) * 1_000_000).toList());
    assertThat(hundred.percentile(0.5)).isEqualTo(50);
    assertThat(hundred.percentile(0.99)).isEqualTo(99);
    assertThat(hundred.json()).containsEntry("most", 100.0).containsEntry("count", 100);
  }

  @Test
  void ofFewTheLastCounts() {
    Spread two = new Spread(List.of(7.0, 3.0));
    assertThat(two.percentile(0.5)).isEqualTo(3);
    assertThat(two.percentile(0.99)).isEqualTo(7);
  }
}
