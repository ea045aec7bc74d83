package dev.rekindle.controller.cache;

import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.controller.model.FaultView;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.RecoveryView;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SequencedMap;
import java.util.stream.Stream;

/**
 * On which nodes jobs have had pods, as far as this process has seen it or recoveries have recorded
 * it. An agent may name only such a job as the victim of a fault. Only the newest places are kept.
 * Who may create pods can make up places, with any job as the owner of a pod: so they count in the
 * namespace of the pod alone, and where there are too many the namespace with the most gives way.
 */
final class PodPlaces {
  private static final int MOST = 16_384;

  /** A node's clock and the API server's differ by no more than that. */
  private static final Duration CLOCKS = Duration.ofMinutes(5);

  private final Instant began;

  private record Place(String node, String jobUid) {}

  /** By namespace, when the first of the pods was made. */
  private final Map<String, SequencedMap<Place, Instant>> stays = new HashMap<>();

  private int size;

  /**
   * @param began since when pods are watched; of earlier ones that are gone nothing is known
   */
  PodPlaces(Instant began) {
    this.began = began;
  }

  /** A pod was seen. */
  void add(PodView pod) {
    add(pod.node(), pod.jobUid(), pod.job().namespace(), pod.created());
  }

  /** A recovery was seen: its job had pods on the nodes that it kept or blames. */
  void add(RecoveryView recovery) {
    RecoveryStatus status = recovery.status();
    if (status == null) {
      return;
    }
    Stream.concat(
            status.plan() == null ? Stream.empty() : status.plan().keptNodes().stream(),
            status.cause() == null ? Stream.empty() : status.cause().faultyNodes().stream())
        .forEach(node -> add(node, recovery.spec().jobUid(), recovery.namespace(), Instant.EPOCH));
  }

  private synchronized void add(String node, String jobUid, String namespace, Instant since) {
    if (!node.isEmpty() && !jobUid.isEmpty()) {
      Place place = new Place(node, jobUid);
      SequencedMap<Place, Instant> own =
          stays.computeIfAbsent(namespace, _ -> new LinkedHashMap<>());
      Instant before = own.remove(place);
      own.putLast(place, before != null && before.isBefore(since) ? before : since);
      size += before == null ? 1 : 0;
      if (size > MOST) {
        giveWay();
      }
    }
  }

  private void giveWay() {
    Map.Entry<String, SequencedMap<Place, Instant>> most =
        stays.entrySet().stream()
            .max(Comparator.comparingInt(entry -> entry.getValue().size()))
            .orElseThrow();
    var _ = most.getValue().pollFirstEntry();
    size--;
    if (most.getValue().isEmpty()) {
      stays.remove(most.getKey());
    }
  }

  /** How many are kept. */
  synchronized int size() {
    return size;
  }

  /** Whether a job of that namespace may have had a pod on the node then, for all that is known. */
  synchronized boolean had(String node, FaultView.Incident incident) {
    if (Duration.between(incident.lastSeen(), began).compareTo(CLOCKS.negated()) > 0) {
      return true;
    }
    Map<Place, Instant> own = stays.get(incident.namespace());
    Instant since = own == null ? null : own.get(new Place(node, incident.jobUid()));
    return since != null && !incident.lastSeen().isBefore(since.minus(CLOCKS));
  }
}
