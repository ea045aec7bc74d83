package dev.rekindle.detect.fault;

import dev.rekindle.api.NodeFaultStatus.Incident;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Bursts of one fault as its object lists them. What hits another program is another incident,
 * however soon it comes: who was hit decides what a fault means.
 */
public final class Incidents {
  /** A longer silence ends a burst; NVIDIA's Fleet Intelligence draws the line there. */
  public static final Duration SILENCE = Duration.ofMinutes(3);

  /** As many as the object holds; see {@code NodeFault.status.incidents}. */
  private static final int MOST = 12;

  /** More parts than a component has. */
  private static final int UNITS = 20;

  private Incidents() {}

  /** The incident that an observation makes. */
  public static List<Incident> of(FaultObservation observation) {
    var victim = observation.victim();
    return List.of(
        new Incident(
            observation.time(),
            observation.time(),
            1,
            observation.unit(),
            victim.namespace(),
            victim.pod(),
            victim.jobUid(),
            observation.fault().bootId(),
            victim.owner(),
            victim.process(),
            observation.mark(),
            List.of()));
  }

  /**
   * Both lists, the second of which is newer; where they touch they are one incident. Where there
   * are too many, the oldest of the program that was hit most often goes: one that crashes again
   * and again must not push out what hit others.
   */
  public static List<Incident> merge(List<Incident> before, List<Incident> after) {
    List<Incident> all = new ArrayList<>(before);
    for (var next : after) {
      var at = all.size() - 1;
      while (at >= 0 && !touch(all.get(at), next)) {
        at--;
      }
      // The newest stands last.
      all.add(at < 0 ? next : join(all.remove(at), next));
    }
    while (all.size() > MOST) {
      all.remove(leastTelling(all));
    }
    return List.copyOf(all);
  }

  private record Kind(String boot, String namespace, String owner, String mark) {}

  private static Incident leastTelling(List<Incident> all) {
    Map<Kind, List<Incident>> kinds = new LinkedHashMap<>();
    for (var one : all) {
      kinds
          .computeIfAbsent(
              new Kind(
                  one.bootId(),
                  one.namespace(),
                  one.owner().isEmpty() ? one.process() : one.owner(),
                  one.mark()),
              _ -> new ArrayList<>())
          .add(one);
    }
    return kinds.values().stream()
        .max(Comparator.comparingInt(List::size))
        .orElseThrow()
        .getFirst();
  }

  private static boolean touch(Incident before, Incident next) {
    return before.bootId().equals(next.bootId())
        && before.mark().equals(next.mark())
        && mayBeOfOneProgram(before, next)
        && !time(next.firstSeen()).isAfter(time(before.lastSeen()).plus(SILENCE))
        // Long before it where the clock was set back.
        && !time(next.lastSeen()).plus(SILENCE).isBefore(time(before.firstSeen()));
  }

  /**
   * Of the same job, of the same process where no pod is known; or one of them of an unknown one.
   */
  private static boolean mayBeOfOneProgram(Incident one, Incident other) {
    if (one.pod().isEmpty() && other.pod().isEmpty()) {
      return one.process().equals(other.process())
          || one.process().isEmpty()
          || other.process().isEmpty();
    }
    return one.pod().isEmpty()
        || other.pod().isEmpty()
        || (one.namespace().equals(other.namespace())
            && (one.jobUid().isEmpty()
                ? one.pod().equals(other.pod())
                : one.jobUid().equals(other.jobUid())));
  }

  private static Incident join(Incident before, Incident next) {
    var known = before.pod().isEmpty() ? next : before;
    var last = time(before.lastSeen()).isAfter(time(next.lastSeen())) ? before : next;
    return new Incident(
        before.firstSeen(),
        last.lastSeen(),
        before.lines() + next.lines(),
        before.unit().isEmpty() ? next.unit() : before.unit(),
        known.namespace(),
        known.pod(),
        known.jobUid(),
        before.bootId(),
        known.owner().isEmpty() && !known.pod().isEmpty() ? next.owner() : known.owner(),
        before.process().isEmpty() ? next.process() : before.process(),
        before.mark(),
        units(before, next));
  }

  /** All parts that both name; none where that is one. */
  private static List<String> units(Incident before, Incident next) {
    Set<String> all = new LinkedHashSet<>(before.units());
    all.add(before.unit());
    all.add(next.unit());
    all.addAll(next.units());
    all.remove("");
    return all.size() < 2 ? List.of() : all.stream().limit(UNITS).toList();
  }

  private static Instant time(@Nullable Instant time) {
    return time == null ? Instant.EPOCH : time;
  }
}
