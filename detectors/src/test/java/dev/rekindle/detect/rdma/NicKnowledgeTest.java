package dev.rekindle.detect.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.detect.knowledge.Kind;
import dev.rekindle.detect.knowledge.Knowledge;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class NicKnowledgeTest {
  /** All constants of the evaluator, so that a new one is among them. */
  private static List<String> codes() throws IllegalAccessException {
    List<String> codes = new ArrayList<>();
    for (Field field : PortFault.class.getDeclaredFields()) {
      if (field.getType() == String.class
          && Modifier.isStatic(field.getModifiers())
          && field.get(null) instanceof String text
          && text.startsWith("NIC-")) {
        codes.add(text);
      }
    }
    return codes;
  }

  @Test
  void shouldExplainEachCodeOfAPort() throws IllegalAccessException {
    List<String> codes = codes();
    assertThat(codes).contains(PortFault.DOWN, PortFault.MISSING);
    Threshold.ALL.forEach(threshold -> codes.add(threshold.code()));

    assertThat(Knowledge.shipped().gaps(Kind.FAULT, codes, code -> !code.startsWith("NIC-")))
        .isEmpty();
  }
}
