package dev.rekindle.detect.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Annotations of HAMi. */
class HamiReadersTest extends DeviceReadersFixture {

  private static Pod annotated(String key, String value) {
    return new PodBuilder()
        .withNewMetadata()
        .withName("p")
        .addToAnnotations(key, value)
        .endMetadata()
        .build();
  }

  private static Node registered(String value) {
    return new NodeBuilder()
        .withNewMetadata()
        .withName("n")
        .addToAnnotations("hami.io/node-nvidia-register", value)
        .endMetadata()
        .build();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "hami.io/vgpu-devices-allocated |"
            + " GPU-a,NVIDIA,8000,50:;GPU-b,NVIDIA,8000,50:GPU-c,NVIDIA,1,1:; | GPU-a GPU-b GPU-c",
        "hami.io/vgpu-devices-allocated | GPU-a[0-1],NVIDIA,8000,50:; | GPU-a",
        "hami.io/Ascend910B3-devices-allocated | Ascend910-4,Ascend910B3,65536,0:; | Ascend910-4",
        "hami.io/vgpu-devices-allocated | ; | ''",
        "hami.io/vgpu-devices-allocated | GPU-a | ''",
        "hami.io/vgpu-devices-to-allocate | GPU-a,NVIDIA,8000,50:; | ''",
        "example.com/vgpu-devices-allocated | GPU-a,NVIDIA,8000,50:; | ''"
      })
  void shouldReadWhichDevicesHamiHasGivenAPod(String key, String value, String held) {
    PodDevices devices = PodDeviceReader.read(annotated(key, value));
    assertThat(devices.known()).isEqualTo(!held.isEmpty());
    assertThat(devices.held()).isEqualTo(held.isEmpty() ? Set.of() : Set.of(held.split(" ")));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "[{\"id\":\"GPU-a\",\"count\":10,\"health\":true},{\"id\":\"GPU-b\",\"health\":false}] |"
            + " GPU-b",
        "GPU-a,10,81559,100,NVIDIA-H100,0,true:GPU-b,10,81559,100,NVIDIA-H100,0,false: | GPU-b",
        "[{\"id\":\"GPU-b\"}] | ''",
        "[{\"health\":false}] | ''",
        "[{\"id\":\"GPU-b\",\"health\":\"false\"}] | ''",
        "[{\"id\":\"GPU-b\",\"health\":false} | ''",
        "GPU-b,false | ''"
      })
  void shouldReadWhichDevicesHamiHoldsForUnhealthy(String register, String sick) {
    assertThat(NodeSignReader.read(registered(register)).sickDevices())
        .isEqualTo(sick.isEmpty() ? List.of() : List.of(sick));
  }
}
