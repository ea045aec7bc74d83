package dev.rekindle.controller.fencing;

import dev.rekindle.controller.model.FenceQuota;
import dev.rekindle.controller.model.FencedFor;
import dev.rekindle.detect.SteadyClock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The slots as they would be stored, while one request after another is granted or refused. */
final class SlotBatch {
  private final FenceSlotAllocator.Store store;
  private final SteadyClock steady;
  private final SlotMemory memory;

  private final Map<String, String> seen;
  private final Instant now;
  private FenceSlots slots;
  private final List<SlotRequest.Take> given = new ArrayList<>();
  private boolean changed;
  private boolean searched;

  /** By namespace, the nodes fenced lately for it that no watch shows; absent until needed. */
  private @Nullable Map<String, Set<String>> unseen;

  /**
   * A batch.
   *
   * @param stored the slots as they are stored
   * @param requests all requests that are to be answered
   * @param now by the clock of which slots have their times
   */
  SlotBatch(
      FenceSlotAllocator.Store store,
      SteadyClock steady,
      SlotMemory memory,
      FenceSlots stored,
      List<SlotRequest> requests,
      Instant now) {
    this.store = store;
    this.steady = steady;
    this.memory = memory;
    boolean taking = requests.stream().anyMatch(SlotRequest.Take.class::isInstance);
    // A cache that still shows a mark just taken off would bring its slot back.
    this.seen = taking ? store.seenMarked() : Map.of();
    this.slots = stored.with(seen);
    this.now = now;
  }

  /** Answers the next request. */
  SlotAnswer meet(SlotRequest request) {
    return switch (request) {
      case SlotRequest.Take take -> take(take);
      case SlotRequest.GiveBack(String node, FenceSlot slot) -> {
        FenceSlots next = slots.without(node, slot);
        changed |= !next.equals(slots);
        slots = next;
        yield new SlotAnswer.Granted();
      }
    };
  }

  private SlotAnswer take(SlotRequest.Take request) {
    FenceQuota quota = request.limit().quota();
    Optional<String> overQuota =
        quota.namespaces().isEmpty()
            ? Optional.empty()
            : quota.passed(request.node(), memory.fencedLately(given, unseen(), steady.instant()));
    if (overQuota.isPresent()) {
      return new SlotAnswer.OverQuota(overQuota.get());
    }
    Optional<FenceSlots> next = slot(request);
    if (next.isEmpty() && !searched) {
      searched = true;
      slots = slots.without(idle());
      next = slot(request);
    }
    if (next.isEmpty()) {
      return new SlotAnswer.Full(full(slots, request));
    }
    given.add(request);
    changed = true;
    slots = next.get();
    return new SlotAnswer.Granted();
  }

  /**
   * Of nodes that hold a slot and are not seen with our mark. Another process has fenced them, and
   * a watch of this one lags (seed 95020266).
   */
  private Map<String, Set<String>> unseen() {
    Map<String, Set<String>> known = unseen;
    if (known == null) {
      known = new HashMap<>();
      for (String node : slots.slots().keySet()) {
        if (!seen.containsKey(node) && !memory.tookLately(node, steady.instant())) {
          String fencedFor = store.find(node).map(FenceSlotAllocator.Found::fencedFor).orElse("");
          for (String namespace : FencedFor.parse(fencedFor).within(now)) {
            LatelyFenced.put(known, namespace, node);
          }
        }
      }
      unseen = known;
    }
    return known;
  }

  /** Nodes whose slot belongs to a cordon that will never be. */
  private Set<String> idle() {
    Set<String> idle = new HashSet<>();
    for (String node : slots.ofCertainNodes(seen.keySet())) {
      String uid = slots.of(node).map(FenceSlot::uid).orElse("");
      if (store.find(node).filter(n -> n.uid().isEmpty() || n.uid().equals(uid)).isEmpty()) {
        idle.add(node);
      }
    }
    Set<String> doubtful = new HashSet<>(memory.settled(slots, steady.instant()));
    doubtful.removeAll(seen.keySet());
    doubtful.addAll(slots.doubtful(seen.keySet(), now));
    for (String node : doubtful) {
      if (!memory.tookLately(node, steady.instant())
          && store.find(node).filter(FenceSlotAllocator.Found::marked).isEmpty()) {
        idle.add(node);
      }
    }
    return idle;
  }

  private Optional<FenceSlots> slot(SlotRequest.Take request) {
    return slots.take(
        request.node(), new FenceSlot(request.by(), request.uid(), now), request.limit());
  }

  /** The slots taken so far. */
  List<SlotRequest.Take> given() {
    return given;
  }

  /** Whether there is anything to store. */
  boolean changed() {
    return changed;
  }

  /** The slots to store. */
  FenceSlots slots() {
    return slots;
  }

  private static String full(FenceSlots held, SlotRequest.Take request) {
    String nodes = String.join(", ", held.slots().keySet().stream().limit(8).toList());
    return "the breaker is full: node %s would pass the limit of %s; fenced, or about to be: %d%s"
        .formatted(
            request.node(),
            request.limit().passed(held.slots().keySet(), request.node()).orElse(""),
            held.slots().size(),
            nodes.isEmpty() ? "" : " (" + nodes + (held.slots().size() > 8 ? ", ..." : "") + ")");
  }
}
