package dev.rekindle.controller.fencing;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Since when this process has found each slot stored as it is, by a monotonic clock. The time that
 * is stored with a slot is that of the process which took it: where its clock was ahead by a minute
 * or two, the slot of a cordon that never was looks fresh for that much longer.
 */
final class UnchangedSlots {
  private final Map<String, Found> found = new HashMap<>();

  private record Found(FenceSlot slot, Instant at) {}

  /**
   * Notes what is stored.
   *
   * @param steady the time of a monotonic clock
   * @return nodes whose slot was found for longer than a cordon can take, and never another one
   */
  synchronized Set<String> settled(FenceSlots slots, Instant steady) {
    found.entrySet().removeIf(e -> !e.getValue().slot().equals(slots.slots().get(e.getKey())));
    slots.slots().forEach((node, slot) -> found.putIfAbsent(node, new Found(slot, steady)));
    Set<String> settled = new HashSet<>();
    found.forEach(
        (node, since) -> {
          if (Duration.between(since.at(), steady).compareTo(FenceSlot.DOUBTFUL) > 0) {
            settled.add(node);
          }
        });
    return settled;
  }
}
