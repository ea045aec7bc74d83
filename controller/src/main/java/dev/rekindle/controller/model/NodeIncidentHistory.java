package dev.rekindle.controller.model;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;

/**
 * What a node was fenced or blamed for lately, as an annotation on the node has it. NodeFaults are
 * deleted after a repair and Recoveries with their jobs; the Node stays as long as the machine, and
 * the cordon writes this down with no call of its own. Of bounded size, and it goes with the Node.
 *
 * @param entries oldest first
 */
public record NodeIncidentHistory(List<Entry> entries) {
  /** A node is a lemon by so many incidents within {@link #WINDOW}. */
  public static final int LEMON = 3;

  /** What is older is forgotten. */
  public static final Duration WINDOW = Duration.ofDays(28);

  /** What comes so soon after another is the same incident: a fence, and the recovery's blame. */
  private static final Duration SAME = Duration.ofMinutes(30);

  private static final NodeIncidentHistory NONE = new NodeIncidentHistory(List.of());

  private static final int MOST = 8;
  private static final int MAX_WHAT = 100;

  /**
   * One incident.
   *
   * @param at when
   * @param what the recovery, or {@code fault/NAME}
   */
  public record Entry(Instant at, String what) {
    public Entry {
      what = what.length() > MAX_WHAT ? what.substring(0, MAX_WHAT) : what;
    }
  }

  public NodeIncidentHistory {
    entries =
        entries.stream()
            .sorted(Comparator.comparing(Entry::at))
            .skip(Math.max(0, entries.size() - MOST))
            .toList();
  }

  /** Reads the annotation. People may have edited it: what makes no sense is passed over. */
  public static NodeIncidentHistory parse(String text) {
    if (text.isEmpty()) {
      return NONE;
    }
    List<Entry> entries = new ArrayList<>();
    for (String part : text.split(";", 4 * MOST)) {
      int space = part.strip().indexOf(' ');
      if (space > 0) {
        try {
          entries.add(
              new Entry(
                  Instant.parse(part.strip().substring(0, space)),
                  part.strip().substring(space + 1)));
        } catch (DateTimeException noTime) {
          // not written by us
        }
      }
    }
    return new NodeIncidentHistory(entries);
  }

  /**
   * Whether the annotation speaks of a node that had repeated incidents. Asked in each reconcile at
   * a node: one with too few entries is not read.
   */
  public static boolean lemon(String text, Instant now) {
    int separators = 0;
    for (int at = text.indexOf(';'); at >= 0; at = text.indexOf(';', at + 1)) {
      separators++;
    }
    return separators + 1 >= LEMON && parse(text).lemon(now);
  }

  /** What is to be written. */
  public String format() {
    return entries.stream().map(e -> e.at() + " " + e.what()).collect(Collectors.joining(";"));
  }

  /** The same and one more, unless it belongs to one that is there; without what is too old. */
  public NodeIncidentHistory and(Instant at, String what) {
    List<Entry> next = new ArrayList<>(within(at));
    boolean known =
        next.stream().anyMatch(e -> Duration.between(e.at(), at).abs().compareTo(SAME) <= 0);
    if (!known) {
      next.add(new Entry(at, what.replace(';', ',')));
    }
    return new NodeIncidentHistory(next);
  }

  /** Whether the node had repeated incidents. */
  public boolean lemon(Instant now) {
    return within(now).size() >= LEMON;
  }

  /** A clock that was ahead counts no longer. */
  private List<Entry> within(Instant now) {
    return entries.stream()
        .filter(e -> Duration.between(e.at(), now).abs().compareTo(WINDOW) < 0)
        .toList();
  }
}
