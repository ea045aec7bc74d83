package dev.rekindle.detect.rules;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What happened to one device.
 *
 * @param bursts incidents of this boot, newest last, at most {@link #BURSTS}
 * @param boots for each code the boots in which it was seen, newest last, at most {@link #BOOTS}
 */
public record DeviceHistory(List<Burst> bursts, Map<String, List<InBoot>> boots) {
  private static final int BURSTS = 64;
  private static final int BOOTS = 8;
  private static final int CODES = 64;

  static final DeviceHistory EMPTY = new DeviceHistory(List.of(), Map.of());

  /** Immutable copies. */
  public DeviceHistory {
    bursts = List.copyOf(bursts);
    boots = Map.copyOf(boots);
  }

  /**
   * A code in a boot.
   *
   * @param boot id of the boot
   * @param time when it was seen there first
   */
  public record InBoot(String boot, Instant time) {}

  /** With this burst in place of the newest, or after it. */
  DeviceHistory with(Burst burst, boolean replaces) {
    List<Burst> all = new ArrayList<>(bursts);
    if (replaces) {
      all.removeLast();
    }
    all.add(burst);
    return new DeviceHistory(all.subList(Math.max(0, all.size() - BURSTS), all.size()), boots);
  }

  DeviceHistory in(String name, String boot, Instant time) {
    var before = boots.getOrDefault(name, List.of());
    if ((!before.isEmpty() && before.getLast().boot().equals(boot))
        || (boots.size() >= CODES && !boots.containsKey(name))) {
      return this;
    }
    List<InBoot> more = new ArrayList<>(before);
    more.add(new InBoot(boot, time));
    Map<String, List<InBoot>> all = new HashMap<>(boots);
    all.put(name, List.copyOf(more.subList(Math.max(0, more.size() - BOOTS), more.size())));
    return new DeviceHistory(bursts, all);
  }

  /** Reboots over which a code came back, since then. */
  int reboots(String name, Instant since) {
    return (int)
            boots.getOrDefault(name, List.of()).stream()
                .filter(in -> !in.time().isBefore(since))
                .count()
        - 1;
  }

  DeviceHistory rebooted() {
    return new DeviceHistory(List.of(), boots);
  }
}
