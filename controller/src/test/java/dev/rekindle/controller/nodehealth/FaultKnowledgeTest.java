package dev.rekindle.controller.nodehealth;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.detect.knowledge.Entry;
import dev.rekindle.detect.knowledge.Kind;
import dev.rekindle.detect.knowledge.Knowledge;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Codes that the controller reads off objects of a node; agents have the others. */
class FaultKnowledgeTest {
  private static final Knowledge KNOWLEDGE = Knowledge.shipped();

  @Test
  void shouldExplainEachCodeThatIsReadOffANode() {
    var words =
        List.of(
            NodeSymptoms.DEVICE_UNHEALTHY,
            NodeSymptoms.PLUGIN_UNHEALTHY,
            NodeSymptoms.HAMI_UNHEALTHY,
            NodeSymptoms.DRA + "*",
            NodeSymptoms.ASCEND + "*",
            NodeSymptoms.ASCEND_NETWORK + "*");

    assertThat(KNOWLEDGE.gaps(Kind.FAULT, words, code -> code.matches("(NVML|NIC|COND)-.*")))
        .isEmpty();
  }

  @Test
  void shouldExplainEachConditionThatFencesByABuiltInRule() {
    for (var rule : ConditionRules.BUILT_IN) {
      var code = ConditionRules.code(rule.type());
      var entry = KNOWLEDGE.find(Kind.FAULT, code);
      assertThat(entry).as(code).isPresent();
      if (rule.verdict().equals("fence")) {
        assertThat(entry.orElseThrow().code())
            .as("add an entry %s under faults of knowledge.yaml of the detectors", code)
            .startsWith(code);
      }
    }
  }

  @Test
  void shouldKeepNoEntryOfAConditionWithoutARule() {
    var codes =
        ConditionRules.BUILT_IN.stream().map(rule -> ConditionRules.code(rule.type())).toList();

    assertThat(KNOWLEDGE.of(Kind.FAULT).stream().map(Entry::code))
        .filteredOn(code -> code.startsWith("COND-") && !code.equals("COND-*"))
        .allMatch(code -> codes.contains(code.replace("*", "")));
  }
}
