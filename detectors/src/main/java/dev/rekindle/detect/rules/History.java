package dev.rekindle.detect.rules;

import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;

/**
 * What the judge remembers of a node. Immutable and bounded.
 *
 * @param boot id of the boot it is about
 * @param devices what happened to each device by its PCI address, at most {@link #DEVICES}
 */
public record History(String boot, Map<String, DeviceHistory> devices) {
  private static final int DEVICES = 256;

  /** An immutable copy. */
  public History {
    devices = Map.copyOf(devices);
  }

  /** Nothing yet, in this boot. */
  public static History of(String boot) {
    return new History(boot, Map.of());
  }

  /**
   * In a new boot: a reboot resets every device, and is remembered. The same boot changes nothing.
   */
  public History in(String current) {
    if (boot.equals(current)) {
      return this;
    }
    Map<String, DeviceHistory> kept = new HashMap<>();
    devices.forEach((device, history) -> kept.put(device, history.rebooted()));
    return new History(current, kept);
  }

  DeviceHistory of(String device, DeviceHistory otherwise) {
    return devices.getOrDefault(device, otherwise);
  }

  History with(String device, DeviceHistory history) {
    Map<String, DeviceHistory> all = new HashMap<>(devices);
    all.put(device, history);
    if (all.size() > DEVICES) {
      all.entrySet().stream()
          .filter(entry -> !entry.getKey().equals(device))
          .min(Comparator.comparing(entry -> newest(entry.getValue())))
          .ifPresent(oldest -> all.remove(oldest.getKey()));
    }
    return new History(boot, all);
  }

  private static Instant newest(DeviceHistory history) {
    return history.bursts().isEmpty() ? Instant.MIN : history.bursts().getLast().last();
  }
}
