package dev.rekindle.controller.fencing;

import dev.rekindle.controller.fencing.FencePlaces.Place;
import dev.rekindle.controller.model.FenceLimit;
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
 * Hands out the places of the breaker, so that two who fence at the same time, two workers or two
 * leaders, cannot pass its limit together: one of them meets the version that the other has
 * written, and looks again. What many of one process want at the same time, one write does.
 */
public final class FenceLedger {
  /** Every failed write means that somebody else's succeeded. */
  private static final int MAX_WRITES = 50;

  /** Wishes met by one write. */
  private static final int MAX_TOGETHER = 256;

  private final Store store;
  private final InstantSource clock;
  private final SteadyClock steady;
  private final GroupCommit<Wish, Answer> together;

  /** Places given for namespaces of which the watches may not show yet. */
  private final LatelyFenced lately = new LatelyFenced();

  /** When this process took a place for a node last, on a clock that nobody sets. */
  private final Map<String, Instant> taken = new ConcurrentHashMap<>();

  /** What this process has stored itself, which mostly is what is stored still. */
  private volatile @Nullable Stored written;

  /** Where the places are stored, and the nodes they are for. */
  public interface Store {
    /** What is stored now, not what a cache holds. */
    Stored read();

    /**
     * Writes in place of exactly that version.
     *
     * @return what is stored then; empty when another version was stored
     */
    Optional<Stored> write(Stored before, Map<String, String> places);

    /** The node as it is now, not in a cache; empty where there is none. */
    Optional<Found> find(String node);

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

  /**
   * A node.
   *
   * @param uid its UID, empty when unknown
   * @param marked whether it carries our mark
   */
  public record Found(String uid, boolean marked) {}

  private sealed interface Wish {}

  /** What became of a wish. */
  private sealed interface Answer {}

  private record Granted() implements Answer {}

  /** The breaker has no place. */
  private record Full(String why) implements Answer {}

  /** A namespace has used its quota up, since the node was judged. */
  private record OverQuota(String why) implements Answer {}

  private record Take(String node, String uid, String by, FenceLimit limit) implements Wish {}

  private record GiveBack(String node, Place place) implements Wish {}

  /**
   * Places in a store.
   *
   * @param clock says how old a place is that another process took
   * @param steady says how old one is that this process took: a clock that is set meanwhile would
   *     give a place away whose cordon is under way
   * @param seats where those wait whose wish is met by another's write
   */
  public FenceLedger(
      Store store, InstantSource clock, SteadyClock steady, Supplier<GroupCommit.Seat> seats) {
    this.store = store;
    this.clock = clock;
    this.steady = steady;
    this.together = new GroupCommit<>(this::meet, seats, MAX_TOGETHER);
  }

  /** Takes a place for whichever Node has the name. */
  public void take(String node, String by, FenceLimit limit) {
    take(node, "", by, limit);
  }

  /**
   * Takes a place for a node that is to be cordoned right afterwards. Taken twice, it is one place.
   *
   * @param uid of the Node that is to be cordoned, and no other one of its name; empty when unknown
   * @param by what fences it
   * @param limit how many may be
   * @throws BreakerFullException when none is free
   * @throws StaleException when others are always faster, or have used up the quota of a namespace
   *     since the node was judged: judged anew, it is not to be fenced
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
   * Lifts a fence and gives its place back after that.
   *
   * @param uncordon lifts it; false when the node did not carry our mark. Then its place stays: it
   *     may be that of a cordon under way, and is looked at when the breaker is full
   * @throws StaleException when others are always faster
   */
  public void release(String node, BooleanSupplier uncordon) {
    Optional<Place> place = FencePlaces.parse(store.read().places()).of(node);
    if (uncordon.getAsBoolean()) {
      place.ifPresent(p -> together.ask(new GiveBack(node, p)));
    }
  }

  /**
   * Meets wishes in their order with one write: who comes later counts those before.
   *
   * @return for each what became of it
   */
  private List<Answer> meet(List<Wish> wishes) {
    Stored known = written;
    for (int i = 0; i < MAX_WRITES; i++) {
      Stored before = known == null ? store.read() : known;
      Instant now = clock.instant();
      Meeting meeting = new Meeting(FencePlaces.parse(before.places()), wishes, now);
      List<Answer> answers = wishes.stream().map(meeting::meet).toList();
      if (meeting.changed()) {
        Optional<Stored> after = store.write(before, meeting.places().format());
        if (after.isPresent() && (!meeting.granted() || FencePlaces.fresh(now, clock.instant()))) {
          written = after.get();
          lately.add(meeting.given, now);
          meeting.given.forEach(take -> taken.put(take.node(), steady.instant()));
          return answers;
        }
      } else if (known == null) {
        return answers;
      }
      // What was known is not what is stored, or no write has shown that it is.
      known = null;
    }
    throw new StaleException("the places of the breaker could not be written");
  }

  private boolean tookLately(String node) {
    Instant over = steady.instant().minus(FencePlaces.DOUBTFUL);
    taken.values().removeIf(at -> at.isBefore(over));
    return taken.containsKey(node);
  }

  /** The places as they would be, while one wish after the other is met or refused. */
  private final class Meeting {
    private final Map<String, String> seen;
    private final Instant now;
    private FencePlaces places;
    private final List<Take> given = new ArrayList<>();
    private boolean changed;
    private boolean searched;

    private Meeting(FencePlaces stored, List<Wish> wishes, Instant now) {
      boolean taking = wishes.stream().anyMatch(Take.class::isInstance);
      // A cache that still shows a mark just taken off would bring its place back.
      this.seen = taking ? store.seenMarked() : Map.of();
      this.places = stored.with(seen);
      this.now = now;
    }

    private Answer meet(Wish wish) {
      return switch (wish) {
        case Take take -> take(take);
        case GiveBack(String node, Place place) -> {
          FencePlaces next = places.without(node, place);
          changed |= !next.equals(places);
          places = next;
          yield new Granted();
        }
      };
    }

    private Answer take(Take wish) {
      Optional<String> overQuota =
          wish.limit().quota().passed(wish.node(), lately.with(given, now));
      if (overQuota.isPresent()) {
        return new OverQuota(overQuota.get());
      }
      Optional<FencePlaces> next = place(wish);
      if (next.isEmpty() && !searched) {
        searched = true;
        places = places.without(idle());
        next = place(wish);
      }
      if (next.isEmpty()) {
        return new Full(full(places, wish));
      }
      given.add(wish);
      changed = true;
      places = next.get();
      return new Granted();
    }

    /** Nodes whose place belongs to a cordon that will never be. */
    private Set<String> idle() {
      Set<String> idle = new HashSet<>();
      for (String node : places.ofCertainNodes(seen.keySet())) {
        String uid = places.of(node).map(Place::uid).orElse("");
        if (store.find(node).filter(n -> n.uid().isEmpty() || n.uid().equals(uid)).isEmpty()) {
          idle.add(node);
        }
      }
      for (String node : places.doubtful(seen.keySet(), now)) {
        if (!tookLately(node) && store.find(node).filter(Found::marked).isEmpty()) {
          idle.add(node);
        }
      }
      return idle;
    }

    private Optional<FencePlaces> place(Take wish) {
      return places.take(wish.node(), new Place(wish.by(), wish.uid(), now), wish.limit());
    }

    private boolean granted() {
      return !given.isEmpty();
    }

    private boolean changed() {
      return changed;
    }

    private FencePlaces places() {
      return places;
    }
  }

  /** Places given lately for namespaces. For one thread at a time, the one that writes. */
  private static final class LatelyFenced {
    /** A watch shows a cordon, with what it was for, long before. */
    private static final Duration UNSEEN = Duration.ofMinutes(10);

    private final Map<String, Given> byNode = new HashMap<>();

    private record Given(Set<String> namespaces, Instant at) {}

    private synchronized void add(List<Take> takes, Instant now) {
      byNode.values().removeIf(g -> Duration.between(g.at(), now).abs().compareTo(UNSEEN) > 0);
      takes.stream()
          .filter(take -> !take.limit().quota().namespaces().isEmpty())
          .forEach(
              take -> byNode.put(take.node(), new Given(take.limit().quota().namespaces(), now)));
    }

    private synchronized Map<String, Set<String>> with(List<Take> takes, Instant now) {
      Map<String, Set<String>> nodes = new HashMap<>();
      byNode.forEach(
          (node, given) -> {
            if (Duration.between(given.at(), now).abs().compareTo(UNSEEN) <= 0) {
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

  private static String full(FencePlaces held, Take wish) {
    String nodes = String.join(", ", held.places().keySet().stream().limit(8).toList());
    return "the breaker is full: node %s would pass the limit of %s; fenced, or about to be: %d%s"
        .formatted(
            wish.node(),
            wish.limit().passed(held.places().keySet(), wish.node()).orElse(""),
            held.places().size(),
            nodes.isEmpty() ? "" : " (" + nodes + (held.places().size() > 8 ? ", ..." : "") + ")");
  }
}
