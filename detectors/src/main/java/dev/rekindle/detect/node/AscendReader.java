package dev.rekindle.detect.node;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Reads the ConfigMaps in which Huawei's MindCluster keeps the faults of a node: {@code
 * mindx-dl-deviceinfo-NODE} of the device plugin and {@code mindx-dl-nodeinfo-NODE} of the node
 * daemon. Strict and bounded; never throws, whatever they hold.
 */
public final class AscendReader {
  /** Begins the name of the device plugin's ConfigMap; the node's name follows. */
  public static final String DEVICES = "mindx-dl-deviceinfo-";

  /** Begins the name of the node daemon's ConfigMap; the node's name follows. */
  public static final String NODE = "mindx-dl-nodeinfo-";

  private static final String DEVICE_KEY = "DeviceInfoCfg";
  private static final String NODE_KEY = "NodeInfo";
  private static final int MAX_TEXT = 512 * 1024;
  private static final int MAX_FAULTS = 128;
  private static final int MAX_WORD = 128;

  private AscendReader() {}

  /**
   * The faults of the devices of a node.
   *
   * @param data of the ConfigMap
   * @return empty when it cannot be read: it is not known
   */
  public static Optional<List<AscendFault>> devices(@Nullable Map<String, String> data) {
    return tree(data, DEVICE_KEY)
        .map(root -> root.has("DeviceInfo") ? root.path("DeviceInfo") : root)
        .map(info -> info.path("DeviceList"))
        .filter(JsonNode::isObject)
        .flatMap(AscendReader::deviceFaults);
  }

  private static Optional<List<AscendFault>> deviceFaults(JsonNode list) {
    List<AscendFault> faults = new ArrayList<>();
    for (Map.Entry<String, JsonNode> entry : list.properties()) {
      if (!entry.getKey().endsWith("-Fault")) {
        continue;
      }
      Optional<JsonNode> array = parse(entry.getValue().asText(""));
      if (array.isEmpty() || !array.get().isArray()) {
        return Optional.empty();
      }
      for (JsonNode fault : array.get()) {
        if (faults.size() < MAX_FAULTS && fault.isObject()) {
          faults.add(deviceFault(fault));
        }
      }
    }
    return Optional.of(List.copyOf(faults));
  }

  private static AscendFault deviceFault(JsonNode fault) {
    String type = word(fault, "fault_type");
    String handling = word(fault, "fault_handling");
    return new AscendFault(
        type.equals("NodeUnhealthy") ? "" : word(fault, "npu_name"),
        type.equals("CardNetworkUnhealthy"),
        // Such a fault carries no level of its own in every release; the node is as good as gone.
        type.equals("NodeUnhealthy")
            ? "SeparateNode"
            : handling.isEmpty() ? word(fault, "fault_level") : handling,
        word(fault, "fault_code"));
  }

  /**
   * The faults that the node daemon reports.
   *
   * @param data of the ConfigMap
   * @return empty when it cannot be read: it is not known
   */
  public static Optional<List<AscendFault>> node(@Nullable Map<String, String> data) {
    return tree(data, NODE_KEY)
        .map(root -> root.has("NodeInfo") ? root.path("NodeInfo") : root)
        .filter(info -> info.has("NodeStatus") || info.has("FaultDevList"))
        .map(AscendReader::nodeFaults);
  }

  private static List<AscendFault> nodeFaults(JsonNode info) {
    List<AscendFault> faults = new ArrayList<>();
    for (JsonNode device : info.path("FaultDevList")) {
      if (faults.size() >= MAX_FAULTS || !device.isObject()) {
        continue;
      }
      String name = (word(device, "DeviceType") + " " + word(device, "DeviceId")).strip();
      List<String> codes = new ArrayList<>();
      device.path("FaultCode").forEach(code -> codes.add(code.asText("")));
      String all = codes.isEmpty() ? word(device, "FaultCode") : cut(String.join(",", codes));
      faults.add(new AscendFault(name, false, word(device, "FaultLevel"), all));
    }
    boolean advised = faults.stream().anyMatch(f -> f.advice() != AscendFault.Advice.NOTHING);
    if (word(info, "NodeStatus").equalsIgnoreCase("UnHealthy") && !advised) {
      faults.add(new AscendFault("", false, "SeparateNode", ""));
    }
    return List.copyOf(faults);
  }

  private static Optional<JsonNode> tree(@Nullable Map<String, String> data, String key) {
    return data == null
        ? Optional.empty()
        : Optional.ofNullable(data.get(key)).flatMap(AscendReader::parse);
  }

  private static Optional<JsonNode> parse(String text) {
    if (text.length() > MAX_TEXT) {
      return Optional.empty();
    }
    try {
      // An empty list is sometimes written as nothing at all.
      return Optional.of(Json.read(text.isBlank() ? "[]" : text));
    } catch (JsonProcessingException unreadable) {
      return Optional.empty();
    }
  }

  private static String word(JsonNode object, String field) {
    JsonNode value = object.path(field);
    return value.isValueNode() ? cut(value.asText("")) : "";
  }

  private static String cut(String text) {
    return text.length() <= MAX_WORD ? text : text.substring(0, MAX_WORD);
  }
}
