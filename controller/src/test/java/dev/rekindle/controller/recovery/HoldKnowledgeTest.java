package dev.rekindle.controller.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.detect.knowledge.Kind;
import dev.rekindle.detect.knowledge.Knowledge;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class HoldKnowledgeTest {
  @Test
  void shouldExplainEachReasonOfAHold() {
    var words = Stream.of(HoldReason.values()).map(HoldReason::word).toList();

    assertThat(Knowledge.shipped().gaps(Kind.HOLD, words)).isEmpty();
  }
}
