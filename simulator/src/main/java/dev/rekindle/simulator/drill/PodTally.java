package dev.rekindle.simulator.drill;

import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.PodView;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Counts the pods that end and the pods that become Ready, and says so now and then. */
final class PodTally {
  /** What happens within so long of each other is one line. */
  static final Duration TOGETHER = Duration.ofMillis(500);

  private int whole;
  private int reported;
  private Instant changed = Instant.MAX;
  private boolean ending;

  /** What to say of the pods, if anything. */
  Optional<String> observe(Instant now, JobView job, List<PodView> pods) {
    boolean ends = job.suspended();
    if (ends != ending) {
      ending = ends;
      whole = ends ? pods.size() : job.gangSize();
      reported = 0;
      changed = Instant.MAX;
    }
    if (job.attempt().isEmpty() && !ends) {
      return Optional.empty();
    }
    int count =
        ends
            ? whole - pods.size()
            : (int)
                pods.stream().filter(p -> p.ready() && p.attempt().equals(job.attempt())).count();
    if (count == reported) {
      changed = Instant.MAX;
      return Optional.empty();
    }
    changed = changed.isAfter(now) ? now : changed;
    boolean all = count == whole;
    if (!all && now.isBefore(changed.plus(TOGETHER))) {
      return Optional.empty();
    }
    reported = count;
    changed = Instant.MAX;
    return Optional.of("%d of %d pods %s".formatted(count, whole, ends ? "gone" : "Ready"));
  }
}
