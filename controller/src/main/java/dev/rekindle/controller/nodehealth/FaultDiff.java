package dev.rekindle.controller.nodehealth;

import dev.rekindle.controller.model.FaultView;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Compares the signs of a node with the faults that are written down. A sign becomes a fault once
 * it has stood long enough; a fault is written again only when its sign went away and came back, or
 * means something else now; a fault whose sign is gone is cleared. Others' faults are left alone.
 */
final class FaultDiff {
  /**
   * @param edits what to write
   * @param again after how long to reconcile again though nothing changes
   */
  record Plan(List<Edit> edits, Optional<Duration> again) {}

  private FaultDiff() {}

  /**
   * Decides. Pure.
   *
   * @param undecided whether a fault without a sign may still stand
   * @param firstSeen when this process saw each sign first, by name; for those that do not say
   */
  static Plan decide(
      List<NodeSymptom> signs,
      List<FaultView> faults,
      Predicate<FaultView> undecided,
      Map<String, Instant> firstSeen,
      Instant now) {
    List<Edit> edits = new ArrayList<>();
    List<Duration> waits = new ArrayList<>();
    Set<String> shown = new HashSet<>();
    for (NodeSymptom sign : signs) {
      shown.add(sign.name());
      Optional<FaultView> written =
          faults.stream().filter(f -> f.name().equals(sign.name())).findFirst();
      if (written.isPresent() && !Detectors.OWN.contains(written.get().detector())) {
        continue;
      }
      Instant since =
          Objects.requireNonNullElseGet(
              sign.since(), () -> firstSeen.getOrDefault(sign.name(), now));
      boolean stands = written.filter(FaultView::active).isPresent();
      Duration left = Duration.between(now, since.plus(sign.delay()));
      if (!stands && left.isPositive()) {
        waits.add(left);
      } else if (!stands || changed(written.orElseThrow(), sign)) {
        Instant seen = Objects.requireNonNullElse(sign.since(), now);
        edits.add(new Edit.Raise(sign.fault(seen), sign.author(), seen));
      }
    }
    faults.stream()
        .filter(f -> f.active() && Detectors.OWN.contains(f.detector()))
        .filter(f -> !shown.contains(f.name()) && !undecided.test(f))
        .sorted(Comparator.comparing(FaultView::name))
        .forEach(f -> edits.add(new Edit.Clear(f.name(), f.detector())));
    return new Plan(edits, waits.stream().min(Comparator.naturalOrder()));
  }

  private static boolean changed(FaultView written, NodeSymptom sign) {
    Instant last = written.lastSeen();
    Instant since = sign.since();
    return written.fence() != sign.fence()
        || (since != null && last != null && since.isAfter(last));
  }
}
