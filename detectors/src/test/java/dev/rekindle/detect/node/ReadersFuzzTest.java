package dev.rekindle.detect.node;

import static org.assertj.core.api.Assertions.assertThatCode;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What others write is anything at all: readers never throw. */
class ReadersFuzzTest {
  private static final int ROUNDS = 5_000;
  private static final List<String> WORDS =
      List.of(
          "DeviceInfo",
          "DeviceList",
          "x-Fault",
          "NodeInfo",
          "NodeStatus",
          "FaultDevList",
          "FaultCode",
          "fault_type",
          "NodeUnhealthy",
          "npu_name",
          "driver",
          "pool",
          "name",
          "devices",
          "basic",
          "taints",
          "taint",
          "key",
          "effect",
          "NoExecute",
          "deviceSelector",
          "selectors",
          "attributes",
          "health",
          "id",
          "");

  private final Random random = new Random(20261121);

  private String word() {
    return WORDS.get(random.nextInt(WORDS.size()));
  }

  private @Nullable Object tree(int depth) {
    return switch (random.nextInt(depth > 4 ? 4 : 7)) {
      case 0 -> null;
      case 1 -> word();
      case 2 -> random.nextInt();
      case 3 -> random.nextBoolean();
      case 4 -> IntStream.range(0, random.nextInt(4)).mapToObj(_ -> tree(depth + 1)).toList();
      default -> {
        Map<String, Object> map = new LinkedHashMap<>();
        for (int i = random.nextInt(5); i > 0; i--) {
          map.put(word(), tree(depth + 1));
        }
        yield map;
      }
    };
  }

  private String text() {
    String json = new KubernetesSerialization().asJson(tree(0));
    if (random.nextInt(3) == 0 && !json.isEmpty()) {
      int at = random.nextInt(json.length());
      return json.substring(0, at) + "{}[]\",:;\\".charAt(random.nextInt(9)) + json.substring(at);
    }
    return random.nextInt(4) == 0 ? json.replace('{', ';').replace('"', ',') : json;
  }

  @Test
  void shouldNeverThrow() {
    for (int i = 0; i < ROUNDS; i++) {
      String text = text();
      Object tree = tree(0);
      assertThatCode(
              () -> {
                var _ = AscendReader.devices(Map.of("DeviceInfoCfg", text));
                var _ =
                    AscendReader.devices(
                        Map.of(
                            "DeviceInfoCfg",
                            "{\"DeviceInfo\":{\"DeviceList\":{\"x-Fault\":%s}}}"
                                .formatted(new KubernetesSerialization().asJson(text))));
                var _ = AscendReader.node(Map.of("NodeInfo", text));
                var _ = DraReader.slice(tree);
                var _ = DraReader.rule(tree);
                Node node = new Node();
                node.setMetadata(
                    new ObjectMetaBuilder()
                        .withAnnotations(
                            Map.of(
                                "hami.io/node-nvidia-register",
                                text,
                                "hami.io/vgpu-devices-allocated",
                                text))
                        .build());
                var _ = NodeSignReader.read(node);
                Pod pod = new Pod();
                pod.setMetadata(node.getMetadata());
                var _ = PodDeviceReader.read(pod);
              })
          .as(text)
          .doesNotThrowAnyException();
    }
  }
}
