package dev.rekindle.controller.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Names of nodes in messages. */
class NamesTest {
  @Test
  void shouldNameTheFirstOfManyNodesAndCountTheRest() {
    assertThat(Names.of(List.of("a", "b"))).isEqualTo("a, b");
    assertThat(Names.of(IntStream.range(0, 700).mapToObj(i -> "node-" + i).toList()))
        .startsWith("node-0, node-1, ")
        .endsWith(" more")
        .hasSizeLessThan(430);
  }
}
