package dev.rekindle.detect.nvml;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.detect.knowledge.Kind;
import dev.rekindle.detect.knowledge.Knowledge;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class NvmlKnowledgeTest {
  @Test
  void shouldExplainEachCodeThatIsReadOffNvml() {
    var words = Stream.of(NvmlCode.values()).map(NvmlCode::word).toList();

    assertThat(Knowledge.shipped().gaps(Kind.FAULT, words, code -> !code.startsWith("NVML-")))
        .isEmpty();
  }
}
