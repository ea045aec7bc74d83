package dev.rekindle.detect.rules;

import java.time.Instant;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;

/**
 * When each device of a node last reported what, to know an echo. Its times are of one clock that
 * does not step within a boot. Immutable and bounded.
 *
 * @param boot id of the boot it is about
 * @param devices by PCI address, then by name such as {@code xid 79}; at most {@link #DEVICES} and
 *     {@link #NAMES}
 */
public record History(String boot, Map<String, Map<String, Instant>> devices) {
  private static final int DEVICES = 256;
  private static final int NAMES = 64;

  /** Immutable copies. */
  public History {
    Map<String, Map<String, Instant>> copy = new HashMap<>();
    devices.forEach((device, names) -> copy.put(device, Map.copyOf(names)));
    devices = Map.copyOf(copy);
  }

  /** Nothing yet, in this boot. */
  public static History of(String boot) {
    return new History(boot, Map.of());
  }

  /** In a new boot nothing is an echo of what was before. The same boot changes nothing. */
  public History in(String current) {
    return boot.equals(current) ? this : of(current);
  }

  /** Whether one of these was reported since then. */
  boolean holds(Inhibition after, String device, Instant since) {
    return devices.entrySet().stream()
        .filter(entry -> after.same() == InhibitionScope.NODE || entry.getKey().equals(device))
        .flatMap(entry -> entry.getValue().entrySet().stream())
        .anyMatch(
            name -> after.names().contains(name.getKey()) && !name.getValue().isBefore(since));
  }

  History with(String device, String name, Instant time) {
    Map<String, Instant> names = new HashMap<>(devices.getOrDefault(device, Map.of()));
    names.put(name, time);
    if (names.size() > NAMES) {
      names.remove(Collections.min(names.entrySet(), Map.Entry.comparingByValue()).getKey());
    }
    Map<String, Map<String, Instant>> all = new HashMap<>(devices);
    all.put(device, names);
    if (all.size() > DEVICES) {
      all.entrySet().stream()
          .filter(entry -> !entry.getKey().equals(device))
          .min(Comparator.comparing(entry -> Collections.max(entry.getValue().values())))
          .ifPresent(oldest -> all.remove(oldest.getKey()));
    }
    return new History(boot, all);
  }
}
