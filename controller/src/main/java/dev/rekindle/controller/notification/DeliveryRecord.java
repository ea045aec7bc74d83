package dev.rekindle.controller.notification;

import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What was delivered, and which fences there are: all that a new leader needs to continue. What is
 * due is never stored: it follows from the Recoveries.
 *
 * @param delivered identities of what each webhook has taken, or need not get any more
 * @param fences the fences that were seen
 */
record DeliveryRecord(Map<String, Set<String>> delivered, List<FenceEpisode> fences) {
  static final DeliveryRecord EMPTY = new DeliveryRecord(Map.of(), List.of());

  /** Beyond the age, for clocks of leaders that differ. */
  private static final Duration MARGIN = Duration.ofHours(1);

  DeliveryRecord {
    TreeMap<String, Set<String>> sorted = new TreeMap<>();
    delivered.forEach((name, ids) -> sorted.put(name, Collections.unmodifiableSet(ids)));
    delivered = Collections.unmodifiableMap(sorted);
    fences = List.copyOf(fences);
  }

  Set<String> delivered(String webhook) {
    return delivered.getOrDefault(webhook, Set.of());
  }

  /**
   * The same with more that was delivered, without webhooks that are no more and without what is
   * too old to be due again.
   */
  DeliveryRecord with(Map<String, Set<String>> more, Set<String> webhooks, Instant oldest) {
    Map<String, Set<String>> next = new TreeMap<>();
    for (String webhook : webhooks) {
      TreeSet<String> ids = new TreeSet<>(delivered(webhook));
      ids.addAll(more.getOrDefault(webhook, Set.of()));
      ids.removeIf(id -> tooOld(id, oldest.minus(MARGIN)));
      if (!ids.isEmpty()) {
        next.put(webhook, ids);
      }
    }
    return new DeliveryRecord(next, fences);
  }

  DeliveryRecord withFences(List<FenceEpisode> next) {
    return new DeliveryRecord(delivered, next);
  }

  private static boolean tooOld(String id, Instant oldest) {
    return Mark.timeOf(id).map(time -> time.isBefore(oldest)).orElse(true);
  }
}
