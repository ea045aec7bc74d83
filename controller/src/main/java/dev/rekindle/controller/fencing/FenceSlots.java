package dev.rekindle.controller.fencing;

import dev.rekindle.controller.model.FenceLimit;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Which nodes hold a slot in the breaker. A slot is taken before the node is cordoned and given
 * back after it was released, so there are never more fences than slots. Each writer stores this
 * writes only over the version that was read.
 *
 * @param slots by node
 */
public record FenceSlots(SortedMap<String, Slot> slots) {
  /** No slot is taken. */
  public static final FenceSlots NONE = new FenceSlots(Collections.emptySortedMap());

  /**
   * A slot older than this belongs to a cordon that is either done or will never be. It is longer
   * than {@link #FRESH} and what a request can take until its effect, its repetition included.
   */
  static final Duration DOUBTFUL = Duration.ofSeconds(60);

  /** A cordon is sent within this time of taking its slot, or the slot is taken again. */
  private static final Duration FRESH = Duration.ofSeconds(10);

  /** Between what fences and the UID; no name has it in it. */
  private static final String OF = "@";

  private static final int MAX_RECOVERY = 160;
  private static final int MAX_NODE = 253;
  private static final int MAX_UID = 36;
  private static final Pattern NODE = Pattern.compile("[a-z0-9]([-a-z0-9.]*[a-z0-9])?");

  /**
   * A slot of a node.
   *
   * @param recovery what fences it: a recovery, {@code namespace/name}, or {@code fault/NAME}
   * @param uid of the Node that is to be cordoned, empty when unknown
   * @param since when it was taken; absent when the node was found to be fenced, or it is not known
   */
  public record Slot(String recovery, String uid, @Nullable Instant since) {
    public Slot {
      recovery = recovery.length() > MAX_RECOVERY ? recovery.substring(0, MAX_RECOVERY) : recovery;
      uid = uid.length() > MAX_UID ? "" : uid;
    }

    /** One of whichever Node has the name. */
    public Slot(String recovery, @Nullable Instant since) {
      this(recovery, "", since);
    }

    private boolean doubtful(Instant now) {
      // No slot is taken in the future: such a time is not one of ours.
      return since == null || Duration.between(since, now).abs().compareTo(DOUBTFUL) > 0;
    }

    private String text() {
      String by = uid.isEmpty() ? recovery : recovery + OF + uid;
      return since == null ? by : by + " " + since;
    }

    private static Slot of(String text) {
      int space = text.lastIndexOf(' ');
      if (space >= 0) {
        try {
          return by(text.substring(0, space).strip(), Instant.parse(text.substring(space + 1)));
        } catch (DateTimeParseException noTime) {
          // what is written there was not written by us
        }
      }
      return by(text.strip(), null);
    }

    private static Slot by(String text, @Nullable Instant since) {
      int at = text.lastIndexOf(OF);
      return at < 0
          ? new Slot(text, since)
          : new Slot(text.substring(0, at), text.substring(at + OF.length()), since);
    }
  }

  public FenceSlots {
    slots = Collections.unmodifiableSortedMap(new TreeMap<>(slots));
  }

  /**
   * Reads what is stored. People may have edited it: a value that makes no sense is a slot all the
   * same, one of an unknown time; a name that no node can have is none.
   */
  public static FenceSlots parse(Map<String, String> stored) {
    TreeMap<String, Slot> slots = new TreeMap<>();
    stored.forEach(
        (node, text) -> {
          if (node.length() <= MAX_NODE && NODE.matcher(node).matches()) {
            slots.put(node, Slot.of(text));
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
  public Optional<Slot> of(String node) {
    return Optional.ofNullable(slots.get(node));
  }

  /**
   * The same, and a slot for each node that carries our mark and has none: fenced by an older
   * release, or before somebody deleted what was stored.
   *
   * @param marked recovery by node
   */
  public FenceSlots with(Map<String, String> marked) {
    TreeMap<String, Slot> next = new TreeMap<>(slots);
    marked.forEach((node, recovery) -> next.putIfAbsent(node, new Slot(recovery, null)));
    return new FenceSlots(next);
  }

  /** Takes a slot for whichever Node has the name. */
  public Optional<FenceSlots> take(String node, String recovery, FenceLimit limit, Instant now) {
    return take(node, new Slot(recovery, now), limit);
  }

  /**
   * Takes a slot for the node. A node that has one keeps it, taken now and for this recovery.
   *
   * @return empty when more slots would be taken than the limit allows
   */
  public Optional<FenceSlots> take(String node, Slot slot, FenceLimit limit) {
    if (limit.passed(slots.keySet(), node).isPresent()) {
      return Optional.empty();
    }
    TreeMap<String, Slot> next = new TreeMap<>(slots);
    next.put(node, slot);
    return Optional.of(new FenceSlots(next));
  }

  /** Whether a cordon may still go out for a slot taken then. */
  public static boolean fresh(Instant taken, Instant now) {
    return Duration.between(taken, now).abs().compareTo(FRESH) <= 0;
  }

  /**
   * Nodes whose slot may be one of a cordon that never happened: their process died, say. Each is
   * to be looked at where it is stored; without our mark, it loses its slot.
   *
   * @param marked nodes that were last seen with our mark: no need to look
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
   * @param marked nodes that were last seen with our mark: no need to look
   */
  public List<String> ofCertainNodes(Set<String> marked) {
    return slots.entrySet().stream()
        .filter(slot -> !marked.contains(slot.getKey()) && !slot.getValue().uid().isEmpty())
        .map(Map.Entry::getKey)
        .toList();
  }

  /** The same without the slots of these nodes. */
  public FenceSlots without(Collection<String> nodes) {
    TreeMap<String, Slot> next = new TreeMap<>(slots);
    next.keySet().removeAll(Set.copyOf(nodes));
    return new FenceSlots(next);
  }

  /** The same without this very slot: one taken again meanwhile is another one. */
  public FenceSlots without(String node, Slot slot) {
    return slot.equals(slots.get(node)) ? without(List.of(node)) : this;
  }
}
