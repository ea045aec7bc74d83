package dev.rekindle.controller.nodehealth;

import static dev.rekindle.controller.Given.T0;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.controller.model.FaultView;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.detect.node.DeviceHealth;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Conditions of nodes. */
class NodeSymptomsTest extends NodeSymptomsFixture {
  @Test
  void shouldShowNothingOfANodeThatShowsNothing() {
    assertThat(signs(new Shown().pod())).isEmpty();
  }

  @Test
  void shouldFenceForAConditionThatSpeaksOfLostHardware() {
    NodeSymptom sign = one(new Shown().condition("GPUMissing", "True", "GPUIsMissing"));
    assertThat(sign.name()).isEqualTo("node-1.node.cond-gpumissing");
    assertThat(sign.fence()).isEqualTo(FenceGuidance.ALWAYS);
    assertThat(sign.since()).isEqualTo(T0);
    assertThat(sign.evidence()).isEqualTo("condition GPUMissing is True (GPUIsMissing): in words");
  }

  @Test
  void shouldReportAWatchedConditionAndFenceNoNode() {
    assertThat(one(new Shown().condition("XIDErrors", "True", "x")).fence())
        .isEqualTo(FenceGuidance.NEVER);
  }

  @Test
  void shouldPassOverWhatIsIgnored() {
    assertThat(
            signs(new Shown().condition("AcceleratedHardwareReady", "False", "NvidiaXID13Warning")))
        .isEmpty();
  }

  /** Or the API server would refuse the object for ever. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "mlx5_0/1 | node-1.mlx5-0-1.device-unhealthy",
        "CPU 0 | node-1.cpu-0.device-unhealthy",
        "-/dev/x- | node-1.dev-x.device-unhealthy",
        "карта | node-1.node.device-unhealthy"
      })
  void shouldMakeNamesThatTheApiServerTakes(String id, String name) {
    assertThat(one(new Shown().pod(new DeviceHealth("example.com/gpu", id, ""))).name())
        .isEqualTo(name)
        .matches("[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*");
  }

  @Test
  void shouldReportOneFaultOnceHoweverManyShowIt() {
    DeviceHealth device = new DeviceHealth("nvidia.com/gpu", "GPU-1", "");
    assertThat(signs(new Shown().pod(device).pod(device))).hasSize(1);
  }

  @Test
  void shouldNotKnowWhetherAnUnknownConditionIsOver() {
    FaultView fault = Shown.written("n", "COND-GPUMISSING", "condition", FenceGuidance.ALWAYS);
    FaultView reason =
        Shown.written("n", "COND-GPUMISSING-REASON", "condition", FenceGuidance.ALWAYS);
    FaultView other = Shown.written("n", "COND-GPUMISSINGTOO", "condition", FenceGuidance.ALWAYS);
    NodeHealthSnapshot unknown = new Shown().condition("GPUMissing", "Unknown", "").now();
    NodeHealthSnapshot well = new Shown().condition("GPUMissing", "False", "").now();
    assertThat(NodeSymptoms.undecided(unknown, Policy.DEFAULT, fault)).isTrue();
    assertThat(NodeSymptoms.undecided(unknown, Policy.DEFAULT, reason)).isTrue();
    assertThat(NodeSymptoms.undecided(unknown, Policy.DEFAULT, other)).isFalse();
    assertThat(NodeSymptoms.undecided(well, Policy.DEFAULT, fault)).isFalse();
  }
}
