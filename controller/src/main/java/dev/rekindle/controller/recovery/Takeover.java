package dev.rekindle.controller.recovery;

import dev.rekindle.api.RecoveryEvent;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.RecoveryView;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * What other processes have stored and may not have made known: one may end right after the write
 * of a status, or lose its lease with Events still on their way. The status names its newest
 * Events, so a process that reads one that it has not written finds out what may be missing.
 *
 * <p>Only of the last {@link #YOUNG}. An API server keeps an Event for an hour, so within that time
 * one that was written is still there, and writing it again changes nothing; later it would come
 * back as if it were new. The time is that of the status, by the clock of the process that wrote
 * it, and counts the same before and after now: with clocks that differ, or step, by less nothing
 * is missed, and by more it is as if nothing had been missing.
 */
final class Takeover {
  /** How old what is made known once more may be. */
  static final Duration YOUNG = Duration.ofMinutes(15);

  /** A view may be some writes behind what this process has stored itself. */
  private static final int MOST_KNOWN = 4 * RecoveryEvent.MOST;

  /** Of each job, by UID of the recovery. */
  private final Map<JobKey, Map<String, Known>> jobs = new ConcurrentHashMap<>();

  /**
   * What is made known of a recovery, or is too old for it.
   *
   * @param events its Events
   * @param stall whether a stall stands on the nodes that it names
   * @param end whether its end stands on the nodes that were silent
   * @param newest the status that was last made known; of it nothing is missing
   */
  private record Known(
      Set<RecoveryEvent> events, boolean stall, boolean end, @Nullable RecoveryStatus newest) {
    private static final Known NOTHING = new Known(Set.of(), false, false, null);

    private Known and(RecoveryStatus status) {
      Set<RecoveryEvent> all = new HashSet<>(status.recentEvents());
      if (events.size() < MOST_KNOWN) {
        all.addAll(events);
      }
      return new Known(Set.copyOf(all), stall || names(status), end || isOver(status), status);
    }

    private static boolean names(RecoveryStatus status) {
      return status.cause() != null && status.cause().stall() != null;
    }

    private static boolean isOver(RecoveryStatus status) {
      return status.phase() != null && status.phase().isTerminal();
    }
  }

  /**
   * What may be missing of a recovery.
   *
   * @param recovery as it is stored
   * @param events those of its Events that this process has not written
   * @param stall whether the nodes that its stall names may not say so
   * @param end whether the nodes that were silent may not say so
   */
  record Missing(RecoveryView recovery, List<RecoveryEvent> events, boolean stall, boolean end) {}

  /** This process has stored that, and makes it known itself. */
  void stored(JobKey key, RecoveryView recovery) {
    RecoveryStatus status = recovery.status();
    if (status != null) {
      Map<String, Known> known = new HashMap<>(jobs.getOrDefault(key, Map.of()));
      known.merge(recovery.uid(), Known.NOTHING.and(status), (before, _) -> before.and(status));
      jobs.put(key, known);
    }
  }

  /**
   * What may be missing; each is given once.
   *
   * @param recoveries those of the job, as they are read now
   */
  List<Missing> take(JobKey key, Collection<RecoveryView> recoveries, Instant now) {
    Map<String, Known> before = jobs.getOrDefault(key, Map.of());
    Map<String, Known> after = new HashMap<>();
    List<Missing> missing = new ArrayList<>();
    for (RecoveryView recovery : recoveries) {
      Known known = before.getOrDefault(recovery.uid(), Known.NOTHING);
      RecoveryStatus status = recovery.status();
      // Most reconciles find the status that the one before found.
      if (status == null || status.equals(known.newest())) {
        after.put(recovery.uid(), known);
        continue;
      }
      after.put(recovery.uid(), known.and(status));
      Missing found = missing(recovery, status, known, now);
      if (!found.events().isEmpty() || found.stall() || found.end()) {
        missing.add(found);
      }
    }
    if (after.isEmpty()) {
      jobs.remove(key);
    } else {
      jobs.put(key, after);
    }
    return missing;
  }

  /** How many Events are kept in memory. */
  int known() {
    return jobs.values().stream()
        .flatMap(of -> of.values().stream())
        .mapToInt(known -> known.events().size())
        .sum();
  }

  private static Missing missing(
      RecoveryView recovery, RecoveryStatus status, Known known, Instant now) {
    List<RecoveryEvent> events =
        status.recentEvents().stream()
            .filter(event -> !known.events().contains(event))
            .filter(event -> isYoung(event.time(), now))
            .toList();
    boolean young = isYoung(written(status), now);
    return new Missing(
        recovery,
        events,
        young && Known.names(status) && !known.stall(),
        young && Known.isOver(status) && !known.end());
  }

  /** When the status was last written, as far as it says. */
  private static @Nullable Instant written(RecoveryStatus status) {
    return status.timeline().isEmpty() ? status.phaseSince() : status.timeline().getLast().time();
  }

  private static boolean isYoung(@Nullable Instant then, Instant now) {
    Instant at = Objects.requireNonNullElse(then, Instant.EPOCH);
    return Duration.between(at, now).abs().compareTo(YOUNG) <= 0;
  }
}
