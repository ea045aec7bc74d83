package dev.rekindle.controller.spares;

import dev.rekindle.controller.model.SpareView;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** What is remembered of a job; its reconciles are one after the other. */
final class SpareMemory {
  /** Until the watch shows what the API server has accepted. */
  static final Duration SHOWN_WITHIN = Duration.ofSeconds(10);

  /** No spare is made before. */
  Instant notBefore = Instant.EPOCH;

  /** What is wanting for the next spare, as the last event says. */
  String said = "";

  /** By UID, spares whose removal was requested. */
  private final Map<String, Instant> asked = new HashMap<>();

  /** By number of a spare that was requested and that the watch does not show yet. */
  final Map<Integer, Instant> requested = new HashMap<>();

  private final Set<String> there = new HashSet<>();

  /**
   * A spare that Rekindle did not delete was preempted. A new one, created at once, would take the
   * room of the pod that preempted it and is not scheduled yet.
   */
  void sees(List<SpareView> spares, Instant now) {
    Set<String> uids = spares.stream().map(SpareView::uid).collect(Collectors.toSet());
    if (there.stream().anyMatch(uid -> !uids.contains(uid) && !asked.containsKey(uid))) {
      notBefore = now.plus(SpareKeeper.FEWER);
    }
    there.clear();
    there.addAll(uids);
    spares.stream().filter(s -> !s.terminating()).forEach(s -> requested.remove(s.slot()));
    requested.values().removeIf(at -> at.isAfter(now) || at.plus(SHOWN_WITHIN).isBefore(now));
  }

  /** Where the clock was set back, the pause may be far ahead. */
  boolean pauses(Instant now) {
    return now.isBefore(notBefore) && !now.plus(SpareKeeper.IN_VAIN).isBefore(notBefore);
  }

  /** Whether to ask for it now; it is not asked for again until the watch would show it. */
  boolean asks(String what, Instant now) {
    asked.values().removeIf(at -> at.isAfter(now) || at.plus(SHOWN_WITHIN).isBefore(now));
    return asked.putIfAbsent(what, now) == null;
  }
}
