package dev.rekindle.detect.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Devices of pods, nodes and slices. */
class DeviceReadersTest extends DeviceReadersFixture {
  private static final KubernetesSerialization YAML = new KubernetesSerialization();

  private static @Nullable Object tree(String spec) {
    return YAML.unmarshal("spec: " + spec, Map.class).get("spec");
  }

  @Test
  void shouldReadWhatTheKubeletReportsOfDevices() {
    Pod pod =
        YAML.unmarshal(
            """
            metadata: {name: p}
            status:
              containerStatuses:
              - name: pytorch
                allocatedResourcesStatus:
                - name: nvidia.com/gpu
                  resources:
                  - {resourceID: GPU-a, health: Healthy}
                  - {resourceID: 'GPU-b::3', health: Unhealthy, message: ECC error}
                  - {resourceID: GPU-c, health: Unknown}
                - name: claim:rdma/nic
                  resources:
                  - {resourceID: mlx5_0, health: Unhealthy}
              - name: sidecar
            """,
            Pod.class);
    PodDevices devices = PodDeviceReader.read(pod);
    assertThat(devices.known()).isTrue();
    assertThat(devices.held()).containsExactlyInAnyOrder("GPU-a", "GPU-b", "GPU-c", "mlx5_0");
    assertThat(devices.unhealthy())
        .containsExactly(
            new DeviceHealth("nvidia.com/gpu", "GPU-b", "ECC error"),
            new DeviceHealth("claim:rdma/nic", "mlx5_0", ""));
  }

  @Test
  void shouldKnowNothingOfAPodThatSaysNothing() {
    Pod pod = YAML.unmarshal("metadata: {name: p}\nstatus: {phase: Running}", Pod.class);

    assertThat(PodDeviceReader.read(pod)).isSameAs(PodDevices.UNKNOWN);
  }

  @Test
  void shouldRefuseADepthBeyondAnyRealObject() {
    String deep = "{\"DeviceInfo\":{\"DeviceList\":" + "{\"a\":".repeat(20) + "1" + "}".repeat(22);

    assertThat(AscendReader.devices(Map.of("DeviceInfoCfg", deep))).isEmpty();
    assertThat(
            AscendReader.devices(
                Map.of("DeviceInfoCfg", "{\"DeviceInfo\":\"" + "x".repeat(600_000) + "\"}")))
        .isEmpty();
    assertThat(AscendReader.devices(null)).isEmpty();
    assertThat(AscendReader.devices(Map.of("Other", ASCEND))).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{name: gpu-0, taints: [{key: example.com/unhealthy, value: x, effect: NoExecute,"
            + " timeAdded: '2026-11-21T06:00:00Z'}], attributes: {resource.kubernetes.io/pciBusID:"
            + " {string: '0000:3b:00.0'}}}",
        "{name: gpu-0, basic: {taints: [{key: example.com/unhealthy, value: x, effect: NoExecute,"
            + " timeAdded: '2026-11-21T06:00:00Z'}], attributes: {resource.kubernetes.io/pciBusID:"
            + " {string: '0000:3b:00.0'}}}}"
      })
  void shouldReadTaintsOfASliceInEveryVersion(String device) {
    Object spec =
        tree(
            "{driver: gpu.example.com, nodeName: n1, pool: {name: n1}, devices: [{name: gpu-9}, "
                + device
                + "]}");

    assertThat(DraReader.slice(spec))
        .contains(
            new DeviceSlice(
                "n1",
                "gpu.example.com",
                "n1",
                List.of(
                    new DeviceTaint(
                        "gpu.example.com",
                        "n1",
                        "gpu-0",
                        false,
                        "0000:3b:00.0",
                        "example.com/unhealthy",
                        "x",
                        "NoExecute",
                        java.time.Instant.parse("2026-11-21T06:00:00Z")))));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{deviceSelector: {driver: d, pool: n1, device: gpu-0}, taint: {key: k, effect: NoExecute}}"
            + " | true",
        "{deviceSelector: {pool: n1}, taint: {key: k, effect: NoExecute}} | true",
        "{deviceSelector: {driver: d}, taint: {key: k, effect: NoExecute}} | false",
        "{deviceSelector: {}, taint: {key: k, effect: NoExecute}} | false",
        "{taint: {key: k, effect: NoExecute}} | false",
        "{deviceSelector: {driver: d, selectors: [{cel: {expression: x}}]}, taint: {key: k}} |"
            + " false",
        "{deviceSelector: {pool: n1}} | false"
      })
  void shouldTakeOnlyRulesThatNameAPool(String spec, boolean taken) {
    assertThat(DraReader.rule(tree(spec)).isPresent()).isEqualTo(taken);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{pool: n1} | false",
        "{pool: n1, device: gpu-3} | false",
        "{pool: n1, deviceClassName: c} | true",
        "{pool: n1, selectors: []} | false",
        "{pool: n1, selectors: [{cel: {expression: x}}]} | true"
      })
  void shouldSayWhetherARuleMeansOnlyWhatAnExpressionSelects(String selector, boolean selected) {
    String spec = "{deviceSelector: %s, taint: {key: k, effect: NoExecute}}".formatted(selector);
    assertThat(DraReader.rule(tree(spec)).orElseThrow().selected()).isEqualTo(selected);
  }
}
