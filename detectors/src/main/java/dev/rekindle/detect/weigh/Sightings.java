package dev.rekindle.detect.weigh;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Where programs have met faults. It is asked for each burst of each fault of a node, and a node
 * may have hundreds of faults: to look through all of them each time takes seconds. For one thread.
 */
public final class Sightings {
  private record Sighting(Fault fault, Incident incident) {
    private Instant at() {
      return incident.lastSeen();
    }
  }

  /** A code, and the UID of a job or a program. */
  private record Key(String code, Object who) {}

  private final Collection<? extends Fault> here;
  private final Collection<? extends Fault> elsewhere;
  private @Nullable Map<Key, List<Sighting>> byKey;

  private Sightings(Collection<? extends Fault> here, Collection<? extends Fault> elsewhere) {
    this.here = here;
    this.elsewhere = elsewhere;
  }

  /**
   * Those of these faults; read when they are needed first.
   *
   * @param here all faults of a node
   * @param elsewhere faults of other nodes with codes of these
   */
  public static Sightings of(
      Collection<? extends Fault> here, Collection<? extends Fault> elsewhere) {
    return new Sightings(here, elsewhere);
  }

  /** Whether the program of a burst of the fault has met its code on another device as well. */
  boolean isElsewhere(Fault fault, Incident burst, Duration window) {
    return keys(fault.code(), burst).anyMatch(key -> isElsewhere(key, fault, burst, window));
  }

  private boolean isElsewhere(Key key, Fault fault, Incident burst, Duration window) {
    List<Sighting> all = index().getOrDefault(key, List.of());
    Instant from = burst.lastSeen().minus(window);
    for (int i = firstSince(all, from); i < all.size(); i++) {
      Sighting one = all.get(i);
      if (!one.incident().isNear(burst, window)) {
        return false;
      }
      if (!one.fault().isOfTheSame(fault)) {
        return true;
      }
    }
    return false;
  }

  /** Index of the first that is not before. */
  private static int firstSince(List<Sighting> all, Instant from) {
    int low = 0;
    int high = all.size();
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (all.get(middle).at().isBefore(from)) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  private Map<Key, List<Sighting>> index() {
    Map<Key, List<Sighting>> known = byKey;
    if (known == null) {
      Map<Key, List<Sighting>> made = new HashMap<>();
      Stream.concat(here.stream(), elsewhere.stream())
          .forEach(
              fault ->
                  fault
                      .incidents()
                      .forEach(
                          incident ->
                              keys(fault.code(), incident)
                                  .forEach(
                                      key ->
                                          made.computeIfAbsent(key, _ -> new ArrayList<>())
                                              .add(new Sighting(fault, incident)))));
      made.values().forEach(all -> all.sort(Comparator.comparing(Sighting::at)));
      byKey = made;
      known = made;
    }
    return known;
  }

  /** Bursts with a key in common are of the same program. */
  private static Stream<Key> keys(String code, Incident incident) {
    Program program = incident.program();
    return Stream.concat(
        incident.jobUid().isEmpty() ? Stream.empty() : Stream.of(new Key(code, incident.jobUid())),
        program.isKnown() ? Stream.of(new Key(code, program)) : Stream.empty());
  }
}
