package dev.rekindle.controller.model;

import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Amounts of resources by name: processors in thousandths, memory in bytes, extended resources in
 * whole numbers.
 *
 * @param values by name of the resource; what is zero is left out
 */
public record Amounts(SortedMap<String, Long> values) {
  /** None, or not known. */
  public static final Amounts NONE = new Amounts(new TreeMap<>());

  /** Name of the resource of processors. */
  public static final String CPU = "cpu";

  /** Name of the resource of memory. */
  public static final String MEMORY = "memory";

  public Amounts {
    SortedMap<String, Long> copy = new TreeMap<>(values);
    copy.values().removeIf(v -> v == 0);
    values = Collections.unmodifiableSortedMap(copy);
  }

  /** Those of a map. */
  public static Amounts of(Map<String, Long> values) {
    return values.isEmpty() ? NONE : new Amounts(new TreeMap<>(values));
  }

  /** Whether there are none, or they are not known. */
  public boolean isEmpty() {
    return values.isEmpty();
  }

  /** How much there is of a resource; 0 where it is not named. */
  public long get(String name) {
    return values.getOrDefault(name, 0L);
  }

  /** Both together. */
  public Amounts plus(Amounts other) {
    if (isEmpty() || other.isEmpty()) {
      return isEmpty() ? other : this;
    }
    SortedMap<String, Long> sum = new TreeMap<>(values);
    other.values.forEach((name, amount) -> sum.merge(name, amount, Long::sum));
    return new Amounts(sum);
  }

  /** So many times as much. */
  public Amounts times(long factor) {
    SortedMap<String, Long> product = new TreeMap<>();
    values.forEach((name, amount) -> product.put(name, amount * factor));
    return new Amounts(product);
  }

  /** What is left; below zero where more is taken than there is. */
  public Amounts minus(Amounts other) {
    return other.isEmpty() ? this : plus(other.times(-1));
  }
}
