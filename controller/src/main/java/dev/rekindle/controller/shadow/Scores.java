package dev.rekindle.controller.shadow;

import dev.rekindle.api.Scorecard;
import dev.rekindle.api.Scorecard.Entry;
import dev.rekindle.api.Scorecard.Tally;
import dev.rekindle.api.ShadowAction;
import dev.rekindle.api.ShadowVerdict;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;

/** The next scorecard from the last one. Each says the same when it is said twice. */
public final class Scores {
  /** Entries that a scorecard keeps. */
  static final int MOST = 32;

  /**
   * Jobs of one namespace that are counted within {@link OutcomeEvaluator#WINDOW}: of a thousand
   * that one user starts and that fail alike, the others show no more of the policy.
   */
  static final int MOST_OF_NAMESPACE = 8;

  private Scores() {}

  /**
   * What came of an entry.
   *
   * @param verdict whether it was called for; never open
   * @param then what happened
   */
  public record Outcome(ShadowVerdict verdict, String then) {}

  /** The open entry about that subject, if any; there is never more than one. */
  public static List<Entry> open(Scorecard card, ShadowAction what, String subject) {
    return card.recent().stream()
        .filter(e -> e.open() && e.what() == what && e.subject().equals(subject))
        .toList();
  }

  /**
   * Writes down what would be done now, unless that is written down already. What falls out of the
   * list unjudged counts as unknown.
   */
  public static Scorecard would(Scorecard card, Entry entry) {
    if (isWritten(card, entry)) {
      return card;
    }
    Tally one = new Tally(1, 0, 0, 0);
    Scorecard next = add(card, entry.what(), one);
    List<Entry> recent = new ArrayList<>(next.recent());
    recent.add(entry);
    while (recent.size() > MOST) {
      Entry lost = oldestOfMost(recent);
      recent.remove(lost);
      if (lost.open()) {
        next = add(next, lost.what(), new Tally(0, 0, 0, 1));
      }
    }
    Instant since = Objects.requireNonNullElse(next.since(), entry.time());
    return new Scorecard(since, next.fences(), next.restarts(), recent);
  }

  /**
   * Whether that is written down already: still open, or for the same reason within the hour. A job
   * that trains on beside a fault is judged at once, and would fill the card again and again. So is
   * what comes of a namespace with as many entries as are counted of one.
   */
  static boolean isWritten(Scorecard card, Entry entry) {
    return card.recent().stream()
            .filter(e -> e.what() == entry.what() && e.subject().equals(entry.subject()))
            .anyMatch(e -> e.open() || isSame(e, entry))
        || isOneOfMany(card, entry);
  }

  private static boolean isOneOfMany(Scorecard card, Entry entry) {
    String namespace = namespace(entry);
    return !namespace.isEmpty()
        && card.recent().stream()
                .filter(e -> namespace(e).equals(namespace) && isWithinWindow(e, entry))
                .count()
            >= MOST_OF_NAMESPACE;
  }

  /** The namespace of a job; empty of a node. */
  private static String namespace(Entry entry) {
    int end = entry.what() == ShadowAction.RESTART ? entry.subject().indexOf('/') : -1;
    return end < 0 ? "" : entry.subject().substring(0, end);
  }

  /** Of the namespace, or of the nodes, with the most entries. */
  private static Entry oldestOfMost(List<Entry> recent) {
    Map<String, Long> counts =
        recent.stream().collect(Collectors.groupingBy(Scores::namespace, Collectors.counting()));
    long most = Collections.max(counts.values());
    return recent.stream()
        .filter(e -> counts.getOrDefault(namespace(e), 0L) == most)
        .findFirst()
        .orElseThrow();
  }

  private static boolean isSame(Entry one, Entry other) {
    return one.uid().equals(other.uid())
        && one.reason().equals(other.reason())
        && isWithinWindow(one, other);
  }

  private static boolean isWithinWindow(Entry one, Entry other) {
    return Duration.between(one.time(), other.time()).abs().compareTo(OutcomeEvaluator.WINDOW) < 0;
  }

  /** Judges an open entry; one that is judged, or gone, stays as it is. */
  public static Scorecard judge(Scorecard card, Entry entry, Outcome outcome, Instant now) {
    int at = card.recent().indexOf(entry);
    if (at < 0 || !entry.open()) {
      return card;
    }
    List<Entry> recent = new ArrayList<>(card.recent());
    recent.set(
        at,
        new Entry(
            entry.what(),
            entry.subject(),
            entry.uid(),
            entry.reason(),
            entry.time(),
            outcome.verdict(),
            outcome.then(),
            now));
    Tally one =
        switch (outcome.verdict()) {
          case RIGHT -> new Tally(0, 1, 0, 0);
          case WRONG -> new Tally(0, 0, 1, 0);
          case UNKNOWN, OPEN -> new Tally(0, 0, 0, 1);
        };
    Scorecard next = add(card, entry.what(), one);
    return new Scorecard(next.since(), next.fences(), next.restarts(), recent);
  }

  private static Scorecard add(Scorecard card, ShadowAction what, Tally more) {
    return what == ShadowAction.FENCE
        ? new Scorecard(card.since(), sum(card.fences(), more), card.restarts(), card.recent())
        : new Scorecard(card.since(), card.fences(), sum(card.restarts(), more), card.recent());
  }

  private static Tally sum(Tally a, Tally b) {
    return new Tally(
        a.would() + b.would(),
        a.right() + b.right(),
        a.wrong() + b.wrong(),
        a.unknown() + b.unknown());
  }
}
