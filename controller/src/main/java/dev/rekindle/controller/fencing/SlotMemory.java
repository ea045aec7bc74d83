package dev.rekindle.controller.fencing;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What this process remembers of slots, by a monotonic clock: a clock that is set meanwhile would
 * give a slot away whose cordon is under way.
 */
final class SlotMemory {
  /** Slots given for namespaces, which the watches may not show yet. */
  private final LatelyFenced lately = new LatelyFenced();

  /** When this process last took a slot for a node. */
  private final Map<String, Instant> taken = new ConcurrentHashMap<>();

  /** Slots that others took, with times of their clocks. */
  private final UnchangedSlots unchanged = new UnchangedSlots();

  /** These slots were stored. */
  void granted(List<SlotRequest.Take> takes, Instant steady) {
    lately.add(takes, steady);
    takes.forEach(take -> taken.put(take.node(), steady));
  }

  /** Whether this process took a slot for the node so lately that its cordon may be under way. */
  boolean tookLately(String node, Instant steady) {
    Instant over = steady.minus(FenceSlot.DOUBTFUL);
    taken.values().removeIf(at -> at.isBefore(over));
    return taken.containsKey(node);
  }

  /**
   * Nodes that were fenced lately, by namespace.
   *
   * @param takes slots about to be stored
   * @param also nodes fenced by others
   */
  Map<String, Set<String>> fencedLately(
      List<SlotRequest.Take> takes, Map<String, Set<String>> also, Instant steady) {
    return lately.with(takes, also, steady);
  }

  /** Nodes whose slot was found unchanged for longer than a cordon can take. */
  Set<String> settled(FenceSlots slots, Instant steady) {
    return unchanged.settled(slots, steady);
  }
}
