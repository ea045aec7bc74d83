package dev.rekindle.controller.nodehealth;

import static dev.rekindle.controller.Given.T0;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.NodeFaultSpec.ComponentType;
import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.controller.model.AscendView;
import dev.rekindle.controller.model.FaultView;
import dev.rekindle.controller.model.FaultView.Incident;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.detect.node.DeviceHealth;
import dev.rekindle.detect.node.DeviceTaint;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Devices that a kubelet, a plugin or a driver shows as broken. */
class DeviceSymptomsTest extends NodeSymptomsFixture {
  @Test
  void shouldTakeADeviceThatTheKubeletHoldsForUnhealthyForAWitness() {
    NodeSymptom sign =
        one(new Shown().pod(new DeviceHealth("nvidia.com/gpu", "GPU-1", "ECC error")));
    assertThat(sign.type()).isEqualTo(ComponentType.GPU);
    assertThat(sign.component()).isEqualTo("GPU-1");
    assertThat(sign.code()).isEqualTo("DEVICE-UNHEALTHY");
    assertThat(sign.fence()).isEqualTo(FenceGuidance.THRESHOLD);
    assertThat(sign.evidence()).contains("demo-worker-0").contains("ECC error");
  }

  @Test
  void shouldTakeAnRdmaDeviceForANic() {
    assertThat(one(new Shown().pod(new DeviceHealth("rdma/hca_shared", "mlx5_3", ""))).type())
        .isEqualTo(ComponentType.NIC);
  }

  @Test
  void shouldReportDevicesHeldBackUnderAnOptedInJobOnly() {
    assertThat(signs(new Shown().shortfall("nvidia.com/gpu", 8, 7))).isEmpty();
    NodeSymptom sign = one(new Shown().shortfall("nvidia.com/gpu", 8, 7).pod());
    assertThat(sign.name()).isEqualTo("node-1.nvidia-com-gpu.device-plugin-unhealthy");
    assertThat(sign.fence()).isEqualTo(FenceGuidance.NEVER);
    assertThat(sign.delay()).isEqualTo(Duration.ofSeconds(60));
    assertThat(sign.evidence()).contains("7 of 8 nvidia.com/gpu");
  }

  @Test
  void shouldContinueReportingThemWhenTheJobHasLeft() {
    FaultView reported =
        Shown.written(
                "node-1.nvidia-com-gpu.device-plugin-unhealthy",
                "DEVICE-PLUGIN-UNHEALTHY",
                "device-plugin",
                FenceGuidance.NEVER)
            .withComponent("node nvidia.com/gpu");

    assertThat(signs(new Shown().shortfall("nvidia.com/gpu", 8, 7).fault(reported))).hasSize(1);
  }

  @Test
  void shouldReportOnlyTheResourcesThatThePolicyNames() {
    assertThat(signs(new Shown().shortfall("example.com/paint", 8, 7).pod())).isEmpty();
    assertThat(signs(new Shown().shortfall("rdma/ib", 8, 0).pod())).hasSize(1);
    assertThat(signs(new Shown().shortfall("amd.com/gpu", 8, 0).pod())).hasSize(1);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      nullValues = "-",
      value = {"NoExecute | ALWAYS", "NoSchedule | NEVER", "None | -", "Later | -"})
  void shouldFenceForADeviceThatLosesItsPods(String effect, FenceGuidance fence) {
    List<NodeSymptom> signs =
        signs(
            new Shown()
                .taint(
                    new DeviceTaint(
                        "gpu.nvidia.com",
                        "node-1",
                        "gpu-3",
                        false,
                        "0000:3B:00.0",
                        "gpu.nvidia.com/xid",
                        "79",
                        effect,
                        T0)));
    assertThat(signs).hasSize(fence == null ? 0 : 1);
    assertThat(signs).allSatisfy(s -> assertThat(s.fence()).isEqualTo(fence));
    assertThat(signs)
        .allSatisfy(
            s -> assertThat(s.name()).isEqualTo("node-1.0000-3b-00.dra-gpu-nvidia-com-xid"));
  }

  /** Which devices an expression selects would have to be computed, from somebody else's text. */
  @ParameterizedTest
  @ValueSource(strings = {"NoExecute", "NoSchedule"})
  void shouldOnlyReportATaintOnDevicesThatAnExpressionSelects(String effect) {
    DeviceTaint some = new DeviceTaint("d", "node-1", "", true, "", "sick", "", effect, T0);
    DeviceTaint all = new DeviceTaint("d", "node-1", "", false, "", "sick", "", effect, T0);
    assertThat(one(new Shown().taint(some)).fence()).isEqualTo(FenceGuidance.NEVER);
    assertThat(one(new Shown().taint(some)).code()).isEqualTo("DRA-SICK-SELECTED");
    assertThat(one(new Shown().taint(some)).evidence())
        .contains("an expression or a class selects")
        .contains("nothing follows");
    assertThat(signs(new Shown().taint(some).taint(all)))
        .extracting(NodeSymptom::code)
        .as("the one hides not the other")
        .containsExactly("DRA-SICK-SELECTED", "DRA-SICK");
  }

  @Test
  void shouldNotTakeADeviceForHealedWhileItsPluginHoldsSomeBack() {
    FaultView fault =
        Shown.written("n", "DEVICE-UNHEALTHY", "device-plugin", FenceGuidance.THRESHOLD);

    assertThat(
            NodeSymptoms.undecided(
                new Shown().shortfall("nvidia.com/gpu", 8, 7).now(), Policy.DEFAULT, fault))
        .isTrue();
    assertThat(
            NodeSymptoms.undecided(
                new Shown().shortfall("example.com/paint", 8, 7).now(), Policy.DEFAULT, fault))
        .isFalse();
    assertThat(NodeSymptoms.undecided(new Shown().now(), Policy.DEFAULT, fault)).isFalse();
  }

  @Test
  void shouldNotTakeDevicesForGivenBackThatTheKubeletHasForgotten() {
    FaultView reported =
        Shown.written(
                "node-1.nvidia-com-gpu.device-plugin-unhealthy",
                "DEVICE-PLUGIN-UNHEALTHY",
                "device-plugin",
                FenceGuidance.NEVER)
            .withComponent("node nvidia.com/gpu");
    FaultView marked =
        Shown.written("n", "DEVICE-UNHEALTHY", "device-plugin", FenceGuidance.THRESHOLD);
    Shown away = new Shown().shortfall("nvidia.com/gpu", 0, 0);

    assertThat(NodeSymptoms.undecided(away.now(), Policy.DEFAULT, reported)).isTrue();
    assertThat(NodeSymptoms.undecided(away.now(), Policy.DEFAULT, marked)).isTrue();
    assertThat(NodeSymptoms.undecided(new Shown().now(), Policy.DEFAULT, reported)).isFalse();
    Shown other = new Shown().shortfall("rdma/ib", 0, 0);
    assertThat(NodeSymptoms.undecided(other.now(), Policy.DEFAULT, reported)).isFalse();
    assertThat(signs(new Shown().shortfall("nvidia.com/gpu", 0, 0).pod()))
        .as("a kubelet that has just begun is no news")
        .isEmpty();
  }

  @Test
  void shouldNotTakeADeviceForUntaintedWhileItsDriverIsAway() {
    DeviceTaint taint =
        new DeviceTaint(
            "gpu.nvidia.com", "node-1", "gpu-3", false, "", "sick", "", "NoExecute", T0);
    DeviceTaint rule = new DeviceTaint("", "node-1", "", false, "", "sick", "", "NoExecute", T0);
    for (DeviceTaint of : List.of(taint, rule)) {
      FaultView fault = by(one(new Shown().taint(of)).author());
      assertThat(NodeSymptoms.undecided(new Shown().now(), Policy.DEFAULT, fault)).isTrue();
      Shown there = new Shown().slice("gpu.nvidia.com");
      assertThat(NodeSymptoms.undecided(there.now(), Policy.DEFAULT, fault)).isFalse();
    }
    FaultView fault = by("gpu.nvidia.com");
    Shown other = new Shown().slice("dra.net");
    assertThat(NodeSymptoms.undecided(other.now(), Policy.DEFAULT, fault)).isTrue();
  }

  /** A fault of DRA that was reported for a taint by that driver. */
  private static FaultView by(String driver) {
    return Shown.written("n", "DRA-SICK", "dra", FenceGuidance.ALWAYS)
        .withIncidents(List.of(new Incident(T0, T0, 1, driver, "", "", "", "")));
  }

  @Test
  void shouldNotKnowWhatAnUnreadableConfigMapHolds() {
    FaultView fault = Shown.written("n", "ASCEND-SEPARATENPU", "ascend", FenceGuidance.ALWAYS);

    assertThat(
            NodeSymptoms.undecided(
                new Shown().ascend(new AscendView("node-1", false, List.of())).now(),
                Policy.DEFAULT,
                fault))
        .isTrue();
    assertThat(NodeSymptoms.undecided(new Shown().now(), Policy.DEFAULT, fault)).isFalse();
  }
}
