package dev.rekindle.controller.nodehealth;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.controller.model.Policy;
import java.util.List;

/** What a node shows, and what follows. */
abstract class NodeSymptomsFixture {
  static List<NodeSymptom> signs(Shown shown) {
    return NodeSymptoms.of(shown.now(), Policy.DEFAULT);
  }

  static NodeSymptom one(Shown shown) {
    List<NodeSymptom> signs = signs(shown);
    assertThat(signs).hasSize(1);
    return signs.getFirst();
  }
}
