package dev.rekindle.controller.fencing;

import dev.rekindle.controller.model.FenceLimit;
import dev.rekindle.controller.model.FenceQuota;
import dev.rekindle.controller.model.FencedFor;
import dev.rekindle.controller.port.ClusterGateway.BreakerFullException;
import dev.rekindle.controller.port.ClusterGateway.StaleException;
import dev.rekindle.controller.runtime.GroupCommit;
import dev.rekindle.detect.SteadyClock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Hands out the slots of the breaker, so that two who fence at the same time, two workers or two
 * leaders, cannot pass its limit together: one of them meets the version that the other has
 * written, and checks again. What many of one process want at the same time, one write does.
 */
public final class FenceSlotAllocator {
  /** Every failed write means that somebody else's succeeded. */
  private static final int MAX_WRITES = 50;

  /** Requests met by one write. */
  private static final int MAX_TOGETHER = 256;

  private final Store store;
  private final InstantSource clock;
  private final SteadyClock steady;
  private final GroupCommit<SlotRequest, Answer> together;

  /** Places given for namespaces of which the watches may not show yet. */
  private final LatelyFenced lately = new LatelyFenced();

  /** When this process took a slot for a node last, by a monotonic clock. */
  private final Map<String, Instant> taken = new ConcurrentHashMap<>();

  /** Slots that others took, with times of their clocks. */
  private final UnchangedSlots unchanged = new UnchangedSlots();

  /** What this process has stored itself, which mostly is what is stored still. */
  private volatile @Nullable Stored written;

  /** Where the slots are stored, and the nodes they are for. */
  public interface Store {
    /** What is stored now, not what a cache holds. */
    Stored read();

    /**
     * Writes in place of exactly that version.
     *
     * @return what is stored then; empty when another version was stored
     */
    Optional<Stored> write(Stored before, Map<String, String> slots);

    /** The node as it is now, not in a cache; empty where there is none. */
    Optional<Found> find(String node);

    /** Nodes that were last seen with our mark, and the recovery it names. A cache will do. */
    Map<String, String> seenMarked();
  }

  /**
   * What is stored.
   *
   * @param version the version that the next write must match, empty when nothing is stored
   * @param slots as {@link FenceSlots#format} writes them
   */
  public record Stored(String version, Map<String, String> slots) {
    public Stored {
      slots = Map.copyOf(slots);
    }
  }

  /**
   * A node.
   *
   * @param uid its UID, empty when unknown
   * @param marked whether it carries our mark
   * @param fencedFor for which namespaces it was fenced lately, as {@link FencedFor} writes it
   */
  public record Found(String uid, boolean marked, String fencedFor) {}

  private sealed interface SlotRequest {}

  /** What became of a request. */
  private sealed interface Answer {}

  private record Granted() implements Answer {}

  /** The breaker has no slot. */
  private record Full(String why) implements Answer {}

  /** A namespace has used its quota up, since the node was judged. */
  private record OverQuota(String why) implements Answer {}

  private record Take(String node, String uid, String by, FenceLimit limit)
      implements SlotRequest {}

  private record GiveBack(String node, FenceSlot slot) implements SlotRequest {}

  /**
   * Slots in a store.
   *
   * @param clock says how old a slot is that another process took
   * @param steady says how old one is that this process took: a clock that is set meanwhile would
   *     give a slot away whose cordon is under way
   * @param seats where those wait whose request is met by another's write
   */
  public FenceSlotAllocator(
      Store store, InstantSource clock, SteadyClock steady, Supplier<GroupCommit.Seat> seats) {
    this.store = store;
    this.clock = clock;
    this.steady = steady;
    this.together = new GroupCommit<>(this::meet, seats, MAX_TOGETHER);
  }

  /** Takes a slot for whichever Node has the name. */
  public void take(String node, String by, FenceLimit limit) {
    take(node, "", by, limit);
  }

  /**
   * Takes a slot for a node that is to be cordoned right afterwards. Taken twice, it is one slot.
   *
   * @param uid of the Node that is to be cordoned, and no other one of its name; empty when unknown
   * @param by what fences it
   * @param limit how many may be
   * @throws BreakerFullException when none is free
   * @throws StaleException when others are always faster, or have used up the quota of a namespace
   *     since the node was judged: judged again, it is not to be fenced
   */
  public void take(String node, String uid, String by, FenceLimit limit) {
    switch (together.ask(new Take(node, uid, by, limit))) {
      case Granted _ -> {}
      case Full(String why) -> throw new BreakerFullException(why);
      case OverQuota(String why) ->
          throw new StaleException("node %s would pass %s".formatted(node, why));
    }
  }

  /**
   * Lifts a fence and gives its slot back after that.
   *
   * @param uncordon lifts it; false when the node did not carry our mark. Then its slot stays: it
   *     may be that of a cordon under way, and is checked when the breaker is full
   * @throws StaleException when others are always faster
   */
  public void release(String node, BooleanSupplier uncordon) {
    Optional<FenceSlot> slot = FenceSlots.parse(store.read().slots()).of(node);
    if (uncordon.getAsBoolean()) {
      slot.ifPresent(p -> together.ask(new GiveBack(node, p)));
    }
  }

  /**
   * Meets requests in their order with one write: who comes later counts those before.
   *
   * @return for each what became of it
   */
  private List<Answer> meet(List<SlotRequest> requests) {
    Stored known = written;
    for (int i = 0; i < MAX_WRITES; i++) {
      Stored before = known == null ? store.read() : known;
      Instant now = clock.instant();
      Batch batch = new Batch(FenceSlots.parse(before.slots()), requests, now);
      List<Answer> answers = requests.stream().map(batch::meet).toList();
      if (batch.changed()) {
        Optional<Stored> after = store.write(before, batch.slots().format());
        if (after.isPresent() && (!batch.granted() || FenceSlots.fresh(now, clock.instant()))) {
          written = after.get();
          lately.add(batch.given, steady.instant());
          batch.given.forEach(take -> taken.put(take.node(), steady.instant()));
          return answers;
        }
      } else if (known == null) {
        return answers;
      }
      // What was known is not what is stored, or no write has shown that it is.
      known = null;
    }
    throw new StaleException("the slots of the breaker could not be written");
  }

  private boolean tookLately(String node) {
    Instant over = steady.instant().minus(FenceSlot.DOUBTFUL);
    taken.values().removeIf(at -> at.isBefore(over));
    return taken.containsKey(node);
  }

  /** The slots as they would be, while one request after the other is met or refused. */
  private final class Batch {
    private final Map<String, String> seen;
    private final Instant now;
    private FenceSlots slots;
    private final List<Take> given = new ArrayList<>();
    private boolean changed;
    private boolean searched;

    /** By namespace, the nodes fenced lately for it that no watch shows; absent until needed. */
    private @Nullable Map<String, Set<String>> unseen;

    private Batch(FenceSlots stored, List<SlotRequest> requests, Instant now) {
      boolean taking = requests.stream().anyMatch(Take.class::isInstance);
      // A cache that still shows a mark just taken off would bring its slot back.
      this.seen = taking ? store.seenMarked() : Map.of();
      this.slots = stored.with(seen);
      this.now = now;
    }

    private Answer meet(SlotRequest request) {
      return switch (request) {
        case Take take -> take(take);
        case GiveBack(String node, FenceSlot slot) -> {
          FenceSlots next = slots.without(node, slot);
          changed |= !next.equals(slots);
          slots = next;
          yield new Granted();
        }
      };
    }

    private Answer take(Take request) {
      FenceQuota quota = request.limit().quota();
      Optional<String> overQuota =
          quota.namespaces().isEmpty()
              ? Optional.empty()
              : quota.passed(request.node(), lately.with(given, unseen(), steady.instant()));
      if (overQuota.isPresent()) {
        return new OverQuota(overQuota.get());
      }
      Optional<FenceSlots> next = slot(request);
      if (next.isEmpty() && !searched) {
        searched = true;
        slots = slots.without(idle());
        next = slot(request);
      }
      if (next.isEmpty()) {
        return new Full(full(slots, request));
      }
      given.add(request);
      changed = true;
      slots = next.get();
      return new Granted();
    }

    /**
     * Of nodes that hold a slot and are not seen with our mark. Another process has fenced them,
     * and a watch of this one lags (seed 95020266).
     */
    private Map<String, Set<String>> unseen() {
      Map<String, Set<String>> known = unseen;
      if (known == null) {
        known = new HashMap<>();
        for (String node : slots.slots().keySet()) {
          if (!seen.containsKey(node) && !tookLately(node)) {
            String fencedFor = store.find(node).map(Found::fencedFor).orElse("");
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
      Set<String> doubtful = new HashSet<>(unchanged.settled(slots, steady.instant()));
      doubtful.removeAll(seen.keySet());
      doubtful.addAll(slots.doubtful(seen.keySet(), now));
      for (String node : doubtful) {
        if (!tookLately(node) && store.find(node).filter(Found::marked).isEmpty()) {
          idle.add(node);
        }
      }
      return idle;
    }

    private Optional<FenceSlots> slot(Take request) {
      return slots.take(
          request.node(), new FenceSlot(request.by(), request.uid(), now), request.limit());
    }

    private boolean granted() {
      return !given.isEmpty();
    }

    private boolean changed() {
      return changed;
    }

    private FenceSlots slots() {
      return slots;
    }
  }

  /**
   * Slots given lately for namespaces, by a monotonic clock: one that is set meanwhile would forget
   * them (seed 95024688). For one thread at a time, the one that writes.
   */
  private static final class LatelyFenced {
    /** A watch shows a cordon, with what it was for, long before. */
    private static final Duration UNSEEN = Duration.ofMinutes(10);

    private final Map<String, Given> byNode = new HashMap<>();

    private record Given(Set<String> namespaces, Instant at) {}

    private synchronized void add(List<Take> takes, Instant steady) {
      byNode.values().removeIf(g -> Duration.between(g.at(), steady).compareTo(UNSEEN) > 0);
      takes.stream()
          .filter(take -> !take.limit().quota().namespaces().isEmpty())
          .forEach(
              take ->
                  byNode.put(take.node(), new Given(take.limit().quota().namespaces(), steady)));
    }

    private synchronized Map<String, Set<String>> with(
        List<Take> takes, Map<String, Set<String>> also, Instant steady) {
      Map<String, Set<String>> nodes = new HashMap<>();
      also.forEach((namespace, fenced) -> fenced.forEach(node -> put(nodes, namespace, node)));
      byNode.forEach(
          (node, given) -> {
            if (Duration.between(given.at(), steady).compareTo(UNSEEN) <= 0) {
              given.namespaces().forEach(n -> put(nodes, n, node));
            }
          });
      takes.forEach(
          take -> take.limit().quota().namespaces().forEach(n -> put(nodes, n, take.node())));
      return nodes;
    }

    private static void put(Map<String, Set<String>> nodes, String namespace, String node) {
      nodes.computeIfAbsent(namespace, _ -> new HashSet<>()).add(node);
    }
  }

  private static String full(FenceSlots held, Take request) {
    String nodes = String.join(", ", held.slots().keySet().stream().limit(8).toList());
    return "the breaker is full: node %s would pass the limit of %s; fenced, or about to be: %d%s"
        .formatted(
            request.node(),
            request.limit().passed(held.slots().keySet(), request.node()).orElse(""),
            held.slots().size(),
            nodes.isEmpty() ? "" : " (" + nodes + (held.slots().size() > 8 ? ", ..." : "") + ")");
  }
}
