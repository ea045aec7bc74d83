package dev.rekindle.controller.network;

import java.util.List;
import java.util.Map;

/**
 * A label selector of Kubernetes ({@code matchLabels} and {@code matchExpressions}).
 *
 * @param labels labels with the values that they must have
 * @param expressions conditions; all must hold
 */
public record LabelRule(Map<String, String> labels, List<Expression> expressions) {
  /** One that requests nothing. */
  public static final LabelRule ANY = new LabelRule(Map.of(), List.of());

  public LabelRule {
    labels = Map.copyOf(labels);
    expressions = List.copyOf(expressions);
  }

  /**
   * A condition on a label.
   *
   * @param operator {@code In}, {@code NotIn}, {@code Exists}, {@code DoesNotExist}
   */
  public record Expression(String key, String operator, List<String> values) {
    public Expression {
      values = List.copyOf(values);
    }

    boolean holds(Map<String, String> carried) {
      String value = carried.get(key);
      return switch (operator) {
        case "In" -> value != null && values.contains(value);
        case "NotIn" -> value == null || !values.contains(value);
        case "Exists" -> value != null;
        case "DoesNotExist" -> value == null;
        // What this version does not know may hold.
        default -> true;
      };
    }
  }

  /** Whether it requests nothing. */
  public boolean isAny() {
    return labels.isEmpty() && expressions.isEmpty();
  }

  /** Whether an object with these labels is selected. */
  public boolean holds(Map<String, String> carried) {
    return labels.entrySet().stream().allMatch(e -> e.getValue().equals(carried.get(e.getKey())))
        && expressions.stream().allMatch(e -> e.holds(carried));
  }
}
