package dev.rekindle.controller.diagnosis;

import static dev.rekindle.controller.diagnosis.NodeSnapshots.FREE;
import static dev.rekindle.controller.diagnosis.NodeSnapshots.NOW;
import static dev.rekindle.controller.diagnosis.NodeSnapshots.POLICY;

import dev.rekindle.controller.model.FaultView;
import java.util.List;
import java.util.Objects;

/** Faults of nodes, and what they weigh. */
abstract class FaultAssessorFixture {
  record FaultWeightsOf(List<FaultView> faults) {
    FaultView.Assessment first() {
      return Objects.requireNonNull(faults.getFirst().weight());
    }
  }

  static FaultView.Assessment weight(FaultView fault) {
    return weights(List.of(fault), List.of()).first();
  }

  static FaultWeightsOf weights(List<FaultView> here, List<FaultView> elsewhere) {
    return new FaultWeightsOf(
        NodeVerdicts.weigh(new NodeSnapshot(FREE, here, elsewhere, List.of()), POLICY, NOW));
  }
}
