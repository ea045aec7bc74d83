package dev.rekindle.controller.fencing;

import dev.rekindle.controller.model.FenceLimit;
import dev.rekindle.controller.model.FencedFor;
import dev.rekindle.controller.port.ClusterGateway.BreakerFullException;
import dev.rekindle.controller.port.ClusterGateway.StaleException;
import dev.rekindle.controller.runtime.GroupCommit;
import dev.rekindle.detect.SteadyClock;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Hands out the slots of the breaker. Two workers or two leaders that fence at the same time cannot
 * pass its limit together: the write of one of them conflicts with that of the other, and is
 * decided again. Requests that one process makes at the same time share one write.
 */
public final class FenceSlotAllocator {
  /** Every failed write means that somebody else's succeeded. */
  private static final int MAX_WRITES = 50;

  /** Requests that share one write. */
  private static final int MAX_TOGETHER = 256;

  private final Store store;
  private final InstantSource clock;
  private final SteadyClock steady;
  private final GroupCommit<SlotRequest, SlotAnswer> together;

  /** What this process remembers of slots. */
  private final SlotMemory memory = new SlotMemory();

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

  /**
   * Slots in a store.
   *
   * @param clock says how old a slot is that another process took
   * @param steady says how old one is that this process took: a clock that is set meanwhile would
   *     give a slot away whose cordon is under way
   * @param seats where threads wait whose request shares the write of another one
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
    switch (together.ask(new SlotRequest.Take(node, uid, by, limit))) {
      case SlotAnswer.Granted _ -> {}
      case SlotAnswer.Full(String why) -> throw new BreakerFullException(why);
      case SlotAnswer.OverQuota(String why) ->
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
      slot.ifPresent(p -> together.ask(new SlotRequest.GiveBack(node, p)));
    }
  }

  /**
   * Answers requests in their order with one write: a later one counts those before it.
   *
   * @return the answer to each
   */
  private List<SlotAnswer> meet(List<SlotRequest> requests) {
    Stored known = written;
    for (int i = 0; i < MAX_WRITES; i++) {
      Stored before = known == null ? store.read() : known;
      Instant now = clock.instant();
      SlotBatch batch =
          new SlotBatch(store, steady, memory, FenceSlots.parse(before.slots()), requests, now);
      List<SlotAnswer> answers = requests.stream().map(batch::meet).toList();
      if (batch.changed()) {
        Optional<Stored> after = store.write(before, batch.slots().format());
        if (after.isPresent()
            && (batch.given().isEmpty() || FenceSlots.fresh(now, clock.instant()))) {
          written = after.get();
          memory.granted(batch.given(), steady.instant());
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
}
