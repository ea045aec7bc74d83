package dev.rekindle.controller.fence;

import dev.rekindle.controller.cluster.ClusterGateway.BreakerFullException;
import dev.rekindle.controller.cluster.ClusterGateway.StaleException;
import dev.rekindle.controller.fence.FencePlaces.Place;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
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
   * A place that is asked for.
   *
   * @param node the node that is to be cordoned right afterwards
   * @param by what fences it
   * @param limit how many may be
   */
  public record Request(String node, String by, FenceLimit limit) {}

  /**
   * Takes a place for a node that is to be cordoned right afterwards. Taken twice, it is one place.
   *
   * @throws BreakerFullException when none is free
   * @throws StaleException when others are always faster
   */
  public void take(String node, String by, FenceLimit limit) {
    String refusal = take(List.of(new Request(node, by, limit))).getFirst();
    if (!refusal.isEmpty()) {
      throw new BreakerFullException(refusal);
    }
  }

  /**
   * Takes places for many nodes with one write, in their order, each as {@link #take(String,
   * String, FenceLimit)} would: who comes later counts those before.
   *
   * @return for each, empty or why it was refused
   * @throws StaleException when others are always faster; then none has a place
   */
  public List<String> take(List<Request> requests) {
    for (int i = 0; i < MAX_WRITES; i++) {
      Stored before = store.read();
      Instant now = clock.instant();
      Taking taking = new Taking(FencePlaces.parse(before.places()), now);
      List<String> refusals = requests.stream().map(taking::ask).toList();
      if (!taking.granted()
          || (store.write(before, taking.places().format())
              && FencePlaces.fresh(now, clock.instant()))) {
        return refusals;
      }
    }
    throw new StaleException("no place in the breaker could be taken");
  }

  /** The places as they would be, while one request after the other is granted or refused. */
  private final class Taking {
    private final Set<String> marked;
    private final Instant now;
    private FencePlaces places;
    private boolean granted;
    private boolean searched;

    private Taking(FencePlaces stored, Instant now) {
      Map<String, String> seen = store.seenMarked();
      this.marked = seen.keySet();
      this.places = stored.with(seen);
      this.now = now;
    }

    private String ask(Request request) {
      Optional<FencePlaces> next = place(request);
      if (next.isEmpty() && !searched) {
        searched = true;
        places =
            places.without(
                places.doubtful(marked, now).stream().filter(n -> !store.marked(n)).toList());
        next = place(request);
      }
      granted |= next.isPresent();
      places = next.orElse(places);
      return next.isPresent() ? "" : full(places, request);
    }

    private Optional<FencePlaces> place(Request request) {
      return places.take(request.node(), request.by(), request.limit(), now);
    }

    private boolean granted() {
      return granted;
    }

    private FencePlaces places() {
      return places;
    }
  }

  private static String full(FencePlaces held, Request request) {
    String nodes = String.join(", ", held.places().keySet().stream().limit(8).toList());
    return "the breaker is full: node %s would pass the limit of %s; fenced, or about to be: %d%s"
        .formatted(
            request.node(),
            request.limit().passed(held.places().keySet(), request.node()).orElse(""),
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
