package dev.rekindle.controller.model;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The stalls in which jobs lately waited for a rank on a node, as an annotation on the node has
 * them. Programs write what names a rank, so this alone fences nothing: it is a witness beside a
 * fault of the hardware, and makes a lemon of a node that is named in different places. Of bounded
 * size, and it goes with the Node.
 *
 * @param entries oldest first
 */
public record NamedStalls(List<Entry> entries) {
  /** On no node. */
  public static final NamedStalls NONE = new NamedStalls(List.of());

  /** What is older is forgotten. */
  public static final Duration WINDOW = NodeIncidentHistory.WINDOW;

  /** Two stalls within it that name one node in different places are a lemon's. */
  public static final Duration TOGETHER = Duration.ofHours(24);

  /** So near in time a fault of the hardware and a stall are one matter. */
  public static final Duration SAME_MATTER = Duration.ofMinutes(15);

  private static final int MOST = 8;
  private static final int LONGEST = 320;

  /**
   * One stall.
   *
   * @param at when a rank of the node was named
   * @param recovery the recovery whose cause it is, {@code namespace/name}
   * @param device whether the rank had joined and its device or a link of it did not get on
   * @param elsewhere whether an earlier stall had named the node among other nodes entirely
   */
  public record Entry(Instant at, String recovery, boolean device, boolean elsewhere) {
    /** The namespace of the job. */
    public String namespace() {
      int slash = recovery.indexOf('/');
      return slash < 0 ? "" : recovery.substring(0, slash);
    }

    private String format() {
      return "%s %s %s %s"
          .formatted(
              at, recovery, device ? "device-or-link" : "host", elsewhere ? "elsewhere" : "here");
    }

    private static Optional<Entry> parse(String text) {
      String[] words = text.strip().split(" ", 5);
      if (words.length != 4 || text.length() > LONGEST || words[1].indexOf('/') <= 0) {
        return Optional.empty();
      }
      try {
        return Optional.of(
            new Entry(
                Instant.parse(words[0]),
                words[1],
                words[2].equals("device-or-link"),
                words[3].equals("elsewhere")));
      } catch (DateTimeException noTime) {
        // not written by us
        return Optional.empty();
      }
    }
  }

  public NamedStalls {
    entries =
        entries.stream()
            .sorted(Comparator.comparing(Entry::at))
            .skip(Math.max(0, entries.size() - MOST))
            .toList();
  }

  /** Reads the annotation. People may have edited it: what makes no sense is passed over. */
  public static NamedStalls parse(String text) {
    if (text.isEmpty()) {
      return NONE;
    }
    List<Entry> entries = new ArrayList<>();
    for (String part : text.split(";", 4 * MOST)) {
      Entry.parse(part).ifPresent(entries::add);
    }
    return new NamedStalls(entries);
  }

  /** What is to be written. */
  public String format() {
    return entries.stream().map(Entry::format).collect(Collectors.joining(";"));
  }

  /** The same and one more, unless that recovery is there; without what is too old. */
  public NamedStalls and(Entry entry) {
    if (entries.stream().anyMatch(e -> e.recovery().equals(entry.recovery()))) {
      return this;
    }
    List<Entry> next = new ArrayList<>(within(WINDOW, entry.at()));
    next.add(entry);
    return new NamedStalls(next);
  }

  /** Those of about that time. A clock that was ahead counts no longer. */
  public List<Entry> within(Duration window, Instant now) {
    return entries.stream()
        .filter(e -> Duration.between(e.at(), now).abs().compareTo(window) < 0)
        .toList();
  }

  /** Whether jobs in different places have waited for ranks of the node. */
  public boolean lemon(Instant now) {
    return within(WINDOW, now).stream().anyMatch(Entry::elsewhere);
  }
}
