package dev.rekindle.detect.node;

import dev.rekindle.detect.ApiTime;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeCondition;
import io.fabric8.kubernetes.api.model.NodeStatus;
import io.fabric8.kubernetes.api.model.Quantity;
import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Reads what a Node object shows beside its readiness. Never throws, whatever the object holds.
 *
 * <p>Nodes of one cluster say the same words, so these are kept once for all of them.
 */
public final class NodeSignReader {
  private static final int MAX_CONDITIONS = 64;
  private static final int MAX_RESOURCES = 32;
  private static final int MAX_WORD = 128;
  private static final int MAX_MESSAGE = 256;

  private NodeSignReader() {}

  /** Reads a node, with all its conditions. */
  public static NodeSigns read(Node node) {
    return read(node, _ -> true);
  }

  /** Reads a node, with its conditions of these types. */
  public static NodeSigns read(Node node, Predicate<String> types) {
    NodeSigns signs =
        new NodeSigns(
            conditions(node.getStatus(), types),
            shortfalls(node.getStatus()),
            HamiDevices.sick(node),
            NodeOwners.read(node).orElse(null));
    return signs.equals(NodeSigns.NONE) ? NodeSigns.NONE : signs;
  }

  private static List<ConditionReading> conditions(
      @Nullable NodeStatus status, Predicate<String> types) {
    if (status == null || status.getConditions() == null) {
      return List.of();
    }
    return status.getConditions().stream()
        .filter(Objects::nonNull)
        .filter(c -> c.getType() != null && !c.getType().equals("Ready"))
        .filter(c -> types.test(c.getType()))
        .limit(MAX_CONDITIONS)
        .map(NodeSignReader::reading)
        .toList();
  }

  private static ConditionReading reading(NodeCondition condition) {
    return new ConditionReading(
        shared(condition.getType(), MAX_WORD),
        shared(condition.getStatus(), MAX_WORD),
        shared(condition.getReason(), MAX_WORD),
        shared(condition.getMessage(), MAX_MESSAGE),
        ApiTime.parse(condition.getLastTransitionTime()));
  }

  private static List<Shortfall> shortfalls(@Nullable NodeStatus status) {
    if (status == null || status.getCapacity() == null) {
      return List.of();
    }
    Map<String, Quantity> allocatable =
        Objects.requireNonNullElse(status.getAllocatable(), Map.of());
    return new TreeMap<>(status.getCapacity())
        .entrySet().stream()
            .filter(has -> isDevice(has.getKey()))
            .map(
                has ->
                    new Shortfall(
                        shared(has.getKey(), MAX_WORD),
                        whole(has.getValue()),
                        whole(allocatable.get(has.getKey()))))
            .filter(s -> s.missing() > 0 || s.forgotten())
            .limit(MAX_RESOURCES)
            .toList();
  }

  /** Extended resources carry the domain of their vendor; those of Kubernetes are no devices. */
  private static boolean isDevice(String resource) {
    int slash = resource.indexOf('/');
    return slash > 0 && !resource.substring(0, slash).endsWith("kubernetes.io");
  }

  private static long whole(@Nullable Quantity quantity) {
    try {
      return quantity == null
          ? 0
          : Math.max(
              0, quantity.getNumericalAmount().min(BigDecimal.valueOf(1_000_000)).longValue());
    } catch (ArithmeticException | IllegalArgumentException notAQuantity) {
      return 0;
    }
  }

  private static String shared(@Nullable String text, int most) {
    if (text == null) {
      return "";
    }
    return (text.length() <= most ? text : text.substring(0, most)).intern();
  }
}
