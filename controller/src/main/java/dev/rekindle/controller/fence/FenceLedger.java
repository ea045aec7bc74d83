package dev.rekindle.controller.fence;

import dev.rekindle.controller.cluster.ClusterGateway.BreakerFullException;
import dev.rekindle.controller.cluster.ClusterGateway.StaleException;
import dev.rekindle.controller.fence.FencePlaces.Place;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/**
 * Hands out the places of the breaker, so that two who fence at the same time, two workers or two
 * leaders, cannot pass its limit together: one of them meets the version that the other has
 * written, and looks again.
 */
public final class FenceLedger {
  /** Every failed write means that somebody else's succeeded. */
  private static final int MAX_WRITES = 50;

  private final Store store;
  private final InstantSource clock;

  /** Where the places are stored, and the nodes they are for. */
  public interface Store {
    /** What is stored now, not what a cache holds. */
    Stored read();

    /**
     * Writes in place of exactly that version.
     *
     * @return false when another version is stored
     */
    boolean write(Stored before, Map<String, String> places);

    /** Whether the node exists and carries our mark now, not in a cache. */
    boolean marked(String node);

    /** Nodes that were last seen with our mark, and the recovery it names. A cache will do. */
    Map<String, String> seenMarked();
  }

  /**
   * What is stored.
   *
   * @param version the version that the next write must match, empty when nothing is stored
   * @param places as {@link FencePlaces#format} writes them
   */
  public record Stored(String version, Map<String, String> places) {
    public Stored {
      places = Map.copyOf(places);
    }
  }

  /** Takes where to store and the clock that tells how old a place is. */
  public FenceLedger(Store store, InstantSource clock) {
    this.store = store;
    this.clock = clock;
  }

  /**
   * Takes a place for a node that is to be cordoned right afterwards. Taken twice, it is one place.
   *
   * @throws BreakerFullException when none is free
   * @throws StaleException when others are always faster
   */
  public void take(String node, String recovery, int limit) {
    for (int i = 0; i < MAX_WRITES; i++) {
      Stored before = store.read();
      Instant now = clock.instant();
      FencePlaces next = next(FencePlaces.parse(before.places()), node, recovery, limit, now);
      if (store.write(before, next.format()) && FencePlaces.fresh(now, clock.instant())) {
        return;
      }
    }
    throw new StaleException("no place in the breaker could be taken for node " + node);
  }

  private FencePlaces next(
      FencePlaces stored, String node, String recovery, int limit, Instant now) {
    Map<String, String> marked = store.seenMarked();
    FencePlaces all = stored.with(marked);
    Optional<FencePlaces> next = all.take(node, recovery, limit, now);
    if (next.isPresent()) {
      return next.get();
    }
    List<String> empty =
        all.doubtful(marked.keySet(), now).stream().filter(n -> !store.marked(n)).toList();
    FencePlaces held = all.without(empty);
    return held.take(node, recovery, limit, now)
        .orElseThrow(() -> new BreakerFullException(full(held, node, limit)));
  }

  private static String full(FencePlaces held, String node, int limit) {
    int most = Math.min(limit, FencePlaces.MOST);
    String nodes = String.join(", ", held.places().keySet().stream().limit(8).toList());
    return "the breaker is full: node %s would pass the limit of %d; fenced, or about to be: %d%s"
        .formatted(
            node,
            most,
            held.places().size(),
            nodes.isEmpty() ? "" : " (" + nodes + (held.places().size() > 8 ? ", ..." : "") + ")");
  }

  /**
   * Lifts a fence and gives its place back after that.
   *
   * @param uncordon lifts it; false when the node did not carry our mark. Then its place stays: it
   *     may be that of a cordon under way, and is looked at when the breaker is full
   */
  public void release(String node, BooleanSupplier uncordon) {
    Optional<Place> place = FencePlaces.parse(store.read().places()).of(node);
    if (uncordon.getAsBoolean()) {
      place.ifPresent(p -> giveBack(node, p));
    }
  }

  private void giveBack(String node, Place place) {
    for (int i = 0; i < MAX_WRITES; i++) {
      Stored before = store.read();
      FencePlaces stored = FencePlaces.parse(before.places());
      FencePlaces next = stored.without(node, place);
      if (next.equals(stored) || store.write(before, next.format())) {
        return;
      }
    }
    throw new StaleException("the place of node " + node + " could not be given back");
  }
}
