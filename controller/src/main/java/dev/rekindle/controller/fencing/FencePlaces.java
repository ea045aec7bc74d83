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
 * Which nodes hold a place in the breaker. A place is taken before the node is cordoned and given
 * back after it was released, so there are never more fences than places. Each writer stores this
 * writes only over the version that was read.
 *
 * @param places by node
 */
public record FencePlaces(SortedMap<String, Place> places) {
  /** No place is taken. */
  public static final FencePlaces NONE = new FencePlaces(Collections.emptySortedMap());

  /**
   * A place older than this belongs to a cordon that is either done or will never be. It is longer
   * than {@link #FRESH} and what a request can take until its effect, its repetition included.
   */
  static final Duration DOUBTFUL = Duration.ofSeconds(60);

  /** A cordon is sent within this time of taking its place, or the place is taken again. */
  private static final Duration FRESH = Duration.ofSeconds(10);

  /** Between what fences and the UID; no name has it in it. */
  private static final String OF = "@";

  private static final int MAX_RECOVERY = 160;
  private static final int MAX_NODE = 253;
  private static final int MAX_UID = 36;
  private static final Pattern NODE = Pattern.compile("[a-z0-9]([-a-z0-9.]*[a-z0-9])?");

  /**
   * A place of a node.
   *
   * @param recovery what fences it: a recovery, {@code namespace/name}, or {@code fault/NAME}
   * @param uid of the Node that is to be cordoned, empty when unknown
   * @param since when it was taken; absent when the node was found to be fenced, or it is not known
   */
  public record Place(String recovery, String uid, @Nullable Instant since) {
    public Place {
      recovery = recovery.length() > MAX_RECOVERY ? recovery.substring(0, MAX_RECOVERY) : recovery;
      uid = uid.length() > MAX_UID ? "" : uid;
    }

    /** One of whichever Node has the name. */
    public Place(String recovery, @Nullable Instant since) {
      this(recovery, "", since);
    }

    private boolean doubtful(Instant now) {
      // No place is taken in the future: such a time is not one of ours.
      return since == null || Duration.between(since, now).abs().compareTo(DOUBTFUL) > 0;
    }

    private String text() {
      String by = uid.isEmpty() ? recovery : recovery + OF + uid;
      return since == null ? by : by + " " + since;
    }

    private static Place of(String text) {
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

    private static Place by(String text, @Nullable Instant since) {
      int at = text.lastIndexOf(OF);
      return at < 0
          ? new Place(text, since)
          : new Place(text.substring(0, at), text.substring(at + OF.length()), since);
    }
  }

  public FencePlaces {
    places = Collections.unmodifiableSortedMap(new TreeMap<>(places));
  }

  /**
   * Reads what is stored. People may have edited it: a value that makes no sense is a place all the
   * same, one of an unknown time; a name that no node can have is none.
   */
  public static FencePlaces parse(Map<String, String> stored) {
    TreeMap<String, Place> places = new TreeMap<>();
    stored.forEach(
        (node, text) -> {
          if (node.length() <= MAX_NODE && NODE.matcher(node).matches()) {
            places.put(node, Place.of(text));
          }
        });
    return new FencePlaces(places);
  }

  /** What is to be stored: node name to {@code <recovery>@<uid> <instant>}. */
  public Map<String, String> format() {
    TreeMap<String, String> stored = new TreeMap<>();
    places.forEach((node, place) -> stored.put(node, place.text()));
    return stored;
  }

  /** The place of a node. */
  public Optional<Place> of(String node) {
    return Optional.ofNullable(places.get(node));
  }

  /**
   * The same, and a place for each node that carries our mark and has none: fenced by an older
   * release, or before somebody deleted what was stored.
   *
   * @param marked recovery by node
   */
  public FencePlaces with(Map<String, String> marked) {
    TreeMap<String, Place> next = new TreeMap<>(places);
    marked.forEach((node, recovery) -> next.putIfAbsent(node, new Place(recovery, null)));
    return new FencePlaces(next);
  }

  /** Takes a place for whichever Node has the name. */
  public Optional<FencePlaces> take(String node, String recovery, FenceLimit limit, Instant now) {
    return take(node, new Place(recovery, now), limit);
  }

  /**
   * Takes a place for the node. A node that has one keeps it, taken now and for this recovery.
   *
   * @return empty when more places would be taken than the limit allows
   */
  public Optional<FencePlaces> take(String node, Place place, FenceLimit limit) {
    if (limit.passed(places.keySet(), node).isPresent()) {
      return Optional.empty();
    }
    TreeMap<String, Place> next = new TreeMap<>(places);
    next.put(node, place);
    return Optional.of(new FencePlaces(next));
  }

  /** Whether a cordon may still go out for a place taken then. */
  public static boolean fresh(Instant taken, Instant now) {
    return Duration.between(taken, now).abs().compareTo(FRESH) <= 0;
  }

  /**
   * Nodes whose place may be one of a cordon that never happened: their process died, say. Each is
   * to be looked at where it is stored; without our mark, it loses its place.
   *
   * @param marked nodes that were last seen with our mark: no need to look
   */
  public List<String> doubtful(Set<String> marked, Instant now) {
    return places.entrySet().stream()
        .filter(place -> !marked.contains(place.getKey()) && place.getValue().doubtful(now))
        .map(Map.Entry::getKey)
        .toList();
  }

  /**
   * Nodes whose place is for a Node of a certain UID. Where that one is gone no cordon of it can
   * take effect any more, as each meets the version of the node that it was decided on.
   *
   * @param marked nodes that were last seen with our mark: no need to look
   */
  public List<String> ofCertainNodes(Set<String> marked) {
    return places.entrySet().stream()
        .filter(place -> !marked.contains(place.getKey()) && !place.getValue().uid().isEmpty())
        .map(Map.Entry::getKey)
        .toList();
  }

  /** The same without the places of these nodes. */
  public FencePlaces without(Collection<String> nodes) {
    TreeMap<String, Place> next = new TreeMap<>(places);
    next.keySet().removeAll(Set.copyOf(nodes));
    return new FencePlaces(next);
  }

  /** The same without this very place: one taken again meanwhile is another one. */
  public FencePlaces without(String node, Place place) {
    return place.equals(places.get(node)) ? without(List.of(node)) : this;
  }
}
