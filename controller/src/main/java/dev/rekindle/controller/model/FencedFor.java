package dev.rekindle.controller.model;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The namespaces for whose programs alone a node was fenced lately, as an annotation on the node
 * has it. It outlives the fence: a tenant whose programs have one node fenced after another is not
 * forgiven because somebody releases them. Of bounded size, and it goes with the Node.
 *
 * @param times when last, by namespace
 */
public record FencedFor(SortedMap<String, Instant> times) {
  /** What is older is forgotten. */
  public static final Duration WINDOW = Duration.ofHours(24);

  /** On no node. */
  public static final FencedFor NONE = new FencedFor(Collections.emptySortedMap());

  private static final int MOST = 16;
  private static final int LONGEST = 63;

  public FencedFor {
    times = Collections.unmodifiableSortedMap(new TreeMap<>(times));
  }

  /** Reads the annotation. People may have edited it: what makes no sense is passed over. */
  public static FencedFor parse(String text) {
    TreeMap<String, Instant> times = new TreeMap<>();
    for (String part : text.split(";", 4 * MOST)) {
      int space = part.strip().indexOf(' ');
      if (space > 0) {
        try {
          Instant at = Instant.parse(part.strip().substring(0, space));
          times.merge(part.strip().substring(space + 1), at, FencedFor::later);
        } catch (DateTimeException noTime) {
          // not written by us
        }
      }
    }
    return new FencedFor(times).newest();
  }

  /** What is to be written. */
  public String format() {
    return times.entrySet().stream()
        .map(e -> e.getValue() + " " + e.getKey())
        .collect(Collectors.joining(";"));
  }

  /** The same and these; without what is too old. */
  public FencedFor and(Instant at, Collection<String> namespaces) {
    TreeMap<String, Instant> next = new TreeMap<>(times);
    next.keySet().retainAll(within(at));
    namespaces.forEach(namespace -> next.merge(namespace, at, FencedFor::later));
    return new FencedFor(next).newest();
  }

  /** The namespaces for which it was fenced lately. A clock that was ahead counts no longer. */
  public Set<String> within(Instant now) {
    return times.entrySet().stream()
        .filter(e -> Duration.between(e.getValue(), now).abs().compareTo(WINDOW) < 0)
        .map(Map.Entry::getKey)
        .collect(Collectors.toUnmodifiableSet());
  }

  private FencedFor newest() {
    TreeMap<String, Instant> kept = new TreeMap<>();
    times.entrySet().stream()
        .filter(e -> !e.getKey().isEmpty() && e.getKey().length() <= LONGEST)
        .sorted(Map.Entry.<String, Instant>comparingByValue(Comparator.reverseOrder()))
        .limit(MOST)
        .forEach(e -> kept.put(e.getKey(), e.getValue()));
    return new FencedFor(kept);
  }

  private static Instant later(Instant one, Instant other) {
    return one.isAfter(other) ? one : other;
  }
}
