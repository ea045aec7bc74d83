package dev.rekindle.detect.fault;

import dev.rekindle.api.NodeFaultStatus.Incident;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Bursts of one fault as its object lists them. */
final class Incidents {
  /** A longer silence ends a burst; NVIDIA's Fleet Intelligence draws the line there. */
  static final Duration SILENCE = Duration.ofMinutes(3);

  /** As many as the object holds; see {@code NodeFault.status.incidents}. */
  private static final int MOST = 8;

  private Incidents() {}

  static List<Incident> of(Sighting sighting) {
    var victim = sighting.victim();
    return List.of(
        new Incident(
            sighting.time(),
            sighting.time(),
            1,
            sighting.unit(),
            victim.namespace(),
            victim.pod(),
            victim.jobUid(),
            sighting.fault().bootId()));
  }

  /** Both lists, the second of which is newer; where they touch they are one incident. */
  static List<Incident> merge(List<Incident> before, List<Incident> after) {
    List<Incident> all = new ArrayList<>(before);
    for (var next : after) {
      if (!all.isEmpty() && touch(all.getLast(), next)) {
        all.set(all.size() - 1, join(all.getLast(), next));
      } else {
        all.add(next);
      }
    }
    return List.copyOf(all.subList(Math.max(0, all.size() - MOST), all.size()));
  }

  private static boolean touch(Incident before, Incident next) {
    return before.bootId().equals(next.bootId())
        && !time(next.firstSeen()).isAfter(time(before.lastSeen()).plus(SILENCE));
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
        before.bootId());
  }

  private static Instant time(@Nullable Instant time) {
    return time == null ? Instant.EPOCH : time;
  }
}
