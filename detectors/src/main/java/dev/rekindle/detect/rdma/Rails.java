package dev.rekindle.detect.rdma;

import java.util.Comparator;
import java.util.Map;
import java.util.TreeMap;

/** Which rail a device is on: the same number on every node leads to the same switch. */
final class Rails {
  private final Map<String, Integer> rails;

  /**
   * The rails of some devices.
   *
   * @param configured as the settings say; where it is empty, devices count by address
   * @param devices PCI address of every device that is or was there
   */
  Rails(Map<String, Integer> configured, Map<String, String> devices) {
    rails = new TreeMap<>(configured);
    if (configured.isEmpty()) {
      devices.entrySet().stream()
          .sorted(
              Comparator.comparing((Map.Entry<String, String> one) -> one.getValue().isEmpty())
                  .thenComparing(Map.Entry::getValue)
                  .thenComparing(Map.Entry::getKey))
          .forEach(one -> rails.put(one.getKey(), rails.size()));
    }
  }

  /** {@code rail 3}, or empty where it is on none. */
  String of(String device) {
    var rail = rails.get(device);
    return rail == null ? "" : "rail " + rail;
  }
}
