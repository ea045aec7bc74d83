package dev.rekindle.controller.fencing;

import dev.rekindle.controller.model.FenceLimit;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * Which nodes hold a slot in the breaker. A slot is taken before the node is cordoned and given
 * back after it was released, so there are never more fences than slots. Each writer stores this
 * writes only over the version that was read.
 *
 * @param slots by node
 */
public record FenceSlots(SortedMap<String, FenceSlot> slots) {
  /** No slot is taken. */
  public static final FenceSlots NONE = new FenceSlots(Collections.emptySortedMap());

  /** A cordon is sent within this time of taking its slot, or the slot is taken again. */
  private static final Duration FRESH = Duration.ofSeconds(10);

  private static final int MAX_NODE = 253;
  private static final Pattern NODE = Pattern.compile("[a-z0-9]([-a-z0-9.]*[a-z0-9])?");

  public FenceSlots {
    slots = Collections.unmodifiableSortedMap(new TreeMap<>(slots));
  }

  /**
   * Reads what is stored. People may have edited it: a value that makes no sense is a slot all the
   * same, one of an unknown time; a name that no node can have is none.
   */
  public static FenceSlots parse(Map<String, String> stored) {
    TreeMap<String, FenceSlot> slots = new TreeMap<>();
    stored.forEach(
        (node, text) -> {
          if (node.length() <= MAX_NODE && NODE.matcher(node).matches()) {
            slots.put(node, FenceSlot.of(text));
          }
        });
    return new FenceSlots(slots);
  }

  /** What is to be stored: node name to {@code <recovery>@<uid> <instant>}. */
  public Map<String, String> format() {
    TreeMap<String, String> stored = new TreeMap<>();
    slots.forEach((node, slot) -> stored.put(node, slot.text()));
    return stored;
  }

  /** The slot of a node. */
  public Optional<FenceSlot> of(String node) {
    return Optional.ofNullable(slots.get(node));
  }

  /**
   * The same, and a slot for each node that carries our mark and has none: fenced by an older
   * release, or before somebody deleted what was stored.
   *
   * @param marked recovery by node
   */
  public FenceSlots with(Map<String, String> marked) {
    TreeMap<String, FenceSlot> next = new TreeMap<>(slots);
    marked.forEach((node, recovery) -> next.putIfAbsent(node, new FenceSlot(recovery, null)));
    return new FenceSlots(next);
  }

  /** Takes a slot for whichever Node has the name. */
  public Optional<FenceSlots> take(String node, String recovery, FenceLimit limit, Instant now) {
    return take(node, new FenceSlot(recovery, now), limit);
  }

  /**
   * Takes a slot for the node. A node that has one keeps it, taken now and for this recovery.
   *
   * @return empty when more slots would be taken than the limit allows
   */
  public Optional<FenceSlots> take(String node, FenceSlot slot, FenceLimit limit) {
    if (limit.passed(slots.keySet(), node).isPresent()) {
      return Optional.empty();
    }
    TreeMap<String, FenceSlot> next = new TreeMap<>(slots);
    next.put(node, slot);
    return Optional.of(new FenceSlots(next));
  }

  /** Whether a cordon may still go out for a slot taken then. */
  public static boolean fresh(Instant taken, Instant now) {
    return Duration.between(taken, now).abs().compareTo(FRESH) <= 0;
  }

  /**
   * Nodes whose slot may be one of a cordon that never happened: their process died, say. Each is
   * to be checked where it is stored; without our mark, it loses its slot.
   *
   * @param marked nodes that were last seen with our mark: no need to check
   */
  public List<String> doubtful(Set<String> marked, Instant now) {
    return slots.entrySet().stream()
        .filter(slot -> !marked.contains(slot.getKey()) && slot.getValue().doubtful(now))
        .map(Map.Entry::getKey)
        .toList();
  }

  /**
   * Nodes whose slot is for a Node of a certain UID. Where that one is gone no cordon of it can
   * take effect any more, as each meets the version of the node that it was decided on.
   *
   * @param marked nodes that were last seen with our mark: no need to check
   */
  public List<String> ofCertainNodes(Set<String> marked) {
    return slots.entrySet().stream()
        .filter(slot -> !marked.contains(slot.getKey()) && !slot.getValue().uid().isEmpty())
        .map(Map.Entry::getKey)
        .toList();
  }

  /** The same without the slots of these nodes. */
  public FenceSlots without(Collection<String> nodes) {
    TreeMap<String, FenceSlot> next = new TreeMap<>(slots);
    next.keySet().removeAll(Set.copyOf(nodes));
    return new FenceSlots(next);
  }

  /** The same without this very slot: one taken again meanwhile is another one. */
  public FenceSlots without(String node, FenceSlot slot) {
    return slot.equals(slots.get(node)) ? without(List.of(node)) : this;
  }
}
