package dev.rekindle.testbed.fidelity;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What was seen of a scenario, without what differs from run to run: no times, no names of nodes,
 * no UIDs.
 *
 * @param lines for people and for comparison
 */
record Observation(List<String> lines) {
  /** What the kubelet takes at least before it kills, whatever the grace period says. */
  private static final long LEAST = 2;

  /** By how much an end may come late: polls of the kubelet, a busy machine. */
  private static final Duration SLACK = Duration.ofSeconds(5);

  Observation {
    lines = List.copyOf(lines);
  }

  static Observation of(List<String> notes, List<ObjectVersion> objectVersions) {
    List<String> lines = new ArrayList<>(notes);
    lines.addAll(histories(objectVersions));
    return new Observation(lines);
  }

  private static List<String> histories(List<ObjectVersion> objectVersions) {
    Map<String, Map<String, List<ObjectVersion>>> objects = new TreeMap<>();
    for (ObjectVersion s : objectVersions) {
      objects
          .computeIfAbsent(s.name(), _ -> new LinkedHashMap<>())
          .computeIfAbsent(s.uid(), _ -> new ArrayList<>())
          .add(s);
    }
    List<String> lines = new ArrayList<>();
    objects.forEach(
        (name, byUid) -> {
          int number = 0;
          long last = 0;
          for (List<ObjectVersion> one : byUid.values()) {
            number++;
            String which = name + (name.startsWith("node") ? "" : " #" + number);
            lines.add(which + ": " + history(one) + order(one, last));
            last = one.getLast().version();
          }
        });
    return lines;
  }

  /** The states one after the other, each once. */
  private static String history(List<ObjectVersion> versions) {
    List<String> states = new ArrayList<>();
    for (ObjectVersion s : versions) {
      if (s.gone()) {
        // The mark of a forced removal stands in the object for a millisecond.
        if (!states.isEmpty() && states.getLast().endsWith("deleted with 0 s") && !held(versions)) {
          states.removeLast();
        }
        states.add("gone" + ending(versions));
      } else if (!byChance(states, s)
          && (states.isEmpty() || !states.getLast().equals(s.state()))) {
        if (!states.isEmpty()
            && (ends(states.getLast(), s.state()) || isRestarted(states.getLast(), s.state()))) {
          states.removeLast();
        }
        if (states.isEmpty() || !states.getLast().equals(s.state())) {
          states.add(s.state());
        }
      }
    }
    return String.join(" > ", states);
  }

  /** A node that resumes may report itself as not ready for some seconds, or not. */
  private static boolean byChance(List<String> states, ObjectVersion s) {
    return s.state().equals("NOT_READY") && !states.isEmpty() && states.getLast().equals("SILENT");
  }

  /**
   * Whether the one is a pod whose container has ended, and the other the same pod once its phase
   * says so, too. A kubelet that is busy writes both at once.
   */
  private static boolean ends(String running, String ended) {
    return running.startsWith("running,")
        && running.contains("has exited")
        && (ended.startsWith("succeeded,") || ended.startsWith("failed,"))
        && running.substring(running.indexOf(',')).equals(ended.substring(ended.indexOf(',')));
  }

  /**
   * Whether the one is a pod whose container has ended, and the other the same pod once the
   * container runs again. A kubelet that is busy may find it restarted and never report the end;
   * one that waits before it restarts the container has the time to report it.
   */
  private static boolean isRestarted(String exited, String running) {
    return exited.startsWith("running,")
        && exited.contains("has exited")
        && !exited.contains("CrashLoop")
        && running.startsWith("running, ready, restarts");
  }

  /** Whether it stood there for a while after its grace period had been confirmed over. */
  private static boolean held(List<ObjectVersion> versions) {
    Instant end = versions.getLast().at();
    return versions.stream()
        .anyMatch(
            s ->
                !s.gone()
                    && s.state().endsWith("deleted with 0 s")
                    && Duration.between(s.at(), end).compareTo(Duration.ofSeconds(1)) > 0);
  }

  /** How a pod's end kept to the grace period that the first deletion gave it. */
  private static String ending(List<ObjectVersion> versions) {
    ObjectVersion first =
        versions.stream()
            .filter(s -> s.pod() != null && s.pod().terminating())
            .findFirst()
            .orElse(null);
    if (!versions.getLast().name().startsWith("pod") || held(versions)) {
      return "";
    }
    if (first == null) {
      return " at once";
    }
    Long grace = grace(first);
    Instant due = due(first, grace);
    if (grace == null || grace == 0 || due == null) {
      return " at once";
    }
    Instant end = end(versions);
    if (end.isBefore(due.minusMillis(100))) {
      return " before its grace period was over";
    }
    return end.isAfter(due.plus(SLACK))
        ? " long after its grace period"
        : " after its grace period";
  }

  /** By the pod's own word: in whole seconds, as the API server writes it. */
  private static @Nullable Instant due(ObjectVersion first, @Nullable Long grace) {
    Instant deadline = first.pod() == null ? null : first.pod().deletionDeadline();
    return deadline == null || grace == null
        ? null
        : deadline.truncatedTo(ChronoUnit.SECONDS).plusSeconds(Math.max(0, LEAST - grace));
  }

  /**
   * When its process ended, by the kubelet's own word in the pod; where the pod went without one,
   * when its end was shown. A busy machine is late.
   */
  private static Instant end(List<ObjectVersion> versions) {
    return versions.stream()
        .map(ObjectVersion::pod)
        .filter(pod -> pod != null && pod.terminating() && !pod.ready())
        .map(pod -> Objects.requireNonNull(pod).lastExit())
        .filter(Objects::nonNull)
        .findFirst()
        .orElse(versions.getLast().at());
  }

  private static @Nullable Long grace(ObjectVersion objectVersion) {
    return objectVersion.pod() == null ? null : objectVersion.pod().deletionGraceSeconds();
  }

  /** What every watch promises; said only where it was broken. */
  private static String order(List<ObjectVersion> versions, long former) {
    Map<Boolean, Integer> ends = new HashMap<>();
    long last = former;
    for (ObjectVersion s : versions) {
      if (s.version() < last) {
        return " (OUT OF ORDER)";
      }
      last = s.version();
      ends.merge(s.gone(), 1, Integer::sum);
    }
    boolean goneOnce = ends.getOrDefault(true, 0) <= 1;
    boolean goneLast = ends.getOrDefault(true, 0) == 0 || versions.getLast().gone();
    return goneOnce && goneLast ? "" : " (SEEN AFTER ITS END)";
  }

  /** One text. */
  String text() {
    return String.join("\n", lines) + "\n";
  }

  /** Both side by side where they differ, for a message. */
  String beside(String mine, Observation other, String theirs) {
    StringBuilder text = new StringBuilder();
    int most = Math.max(lines.size(), other.lines.size());
    for (int i = 0; i < most; i++) {
      String one = i < lines.size() ? lines.get(i) : "-";
      String two = i < other.lines.size() ? other.lines.get(i) : "-";
      if (one.equals(two)) {
        text.append("          ").append(one).append('\n');
      } else {
        text.append("%-9s %s%n%-9s %s%n".formatted(mine, one, theirs, two));
      }
    }
    return text.toString();
  }
}
