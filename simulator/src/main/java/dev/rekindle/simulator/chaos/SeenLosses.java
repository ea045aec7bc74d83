package dev.rekindle.simulator.chaos;

import dev.rekindle.api.RankReportStatus.Loss;
import dev.rekindle.simulator.api.Change;
import dev.rekindle.simulator.world.JobObject;
import dev.rekindle.simulator.world.PodObject;
import dev.rekindle.simulator.world.RankObject;
import dev.rekindle.simulator.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Which reports name a loss that is a number. Where the one rank that is read prints none of its
 * own, nothing shows that the loss of the job is one.
 */
final class SeenLosses {
  /** Reports come every few seconds, and watches show them soon after. */
  private static final Duration HEARD = Duration.ofSeconds(10);

  private final World world;
  private final Supplier<Instant> clock;

  /** By UID of a pod, since when the report on it names a number. */
  private final Map<String, Instant> finite = new HashMap<>();

  SeenLosses(World world, Supplier<Instant> clock) {
    this.world = world;
    this.clock = clock;
    world.ranks().watch(this::reported);
  }

  private void reported(Change<RankObject> change) {
    Loss loss = change.after() == null ? null : change.after().view().loss();
    String pod = change.object().view().podUid();
    if (loss != null && loss.value() != null) {
      finite.putIfAbsent(pod, clock.get());
    } else {
      finite.remove(pod);
    }
  }

  /** What was printed before a restart says nothing of what came after it (seed 94782853). */
  private boolean isOfThisRun(PodObject pod) {
    return world
        .ranks()
        .find(pod.meta().key())
        .filter(report -> report.view().restartCount() >= pod.status().restarts())
        .isPresent();
  }

  /** Whether a report on a pod of the job has said for long enough that its loss is a number. */
  boolean showNumber(JobObject job) {
    for (PodObject pod : world.podsOf(job)) {
      Instant since = finite.get(pod.meta().uid());
      if (since != null && since.plus(HEARD).isBefore(clock.get()) && isOfThisRun(pod)) {
        return true;
      }
    }
    return false;
  }
}
