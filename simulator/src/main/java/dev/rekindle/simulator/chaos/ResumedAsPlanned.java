package dev.rekindle.simulator.chaos;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RecoveryStatus.Plan;
import dev.rekindle.simulator.api.Change;
import dev.rekindle.simulator.world.JobObject;
import dev.rekindle.simulator.world.RecoveryObject;
import dev.rekindle.simulator.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Invariant 53: a recovery verifies what it has started: its job was un-suspended as this attempt,
 * or given to Kueue as this attempt, and the gang has the planned size. Bound: of the size {@link
 * #HEARD}, in which every watch has shown that it was changed. Why: otherwise it waits for a gang
 * that is never started, or takes a gang that the user has started for its own.
 */
final class ResumedAsPlanned extends Check {
  private static final Duration HEARD = Duration.ofSeconds(25);

  /** UIDs of jobs, each with an attempt that its template has carried. */
  private final Set<String> carried = new HashSet<>();

  /** By UID of a job, when its size was last changed. */
  private final Map<String, Instant> resized = new HashMap<>();

  ResumedAsPlanned(World world, Invariants all) {
    super(world, all, Invariant.RESUMED_AS_PLANNED);
    world.jobs().watch(this::changed);
  }

  private void changed(Change<JobObject> change) {
    JobObject before = change.before();
    JobObject after = change.after();
    if (after == null) {
      return;
    }
    // Kueue un-suspends a job once there is quota. A recovery need not wait for that.
    boolean goesOn = !after.suspend() || !after.queue().isEmpty();
    if (!after.template().attempt().isEmpty() && goesOn) {
      carried.add(after.meta().uid() + " " + after.template().attempt());
    }
    if (before != null && before.setup().ranks() != after.setup().ranks()) {
      resized.put(after.meta().uid(), now());
    }
  }

  @Override
  public void saved(RecoveryObject before, @Nullable RecoveryStatus after) {
    RecoveryStatus was = before.status();
    JobObject job = jobOf(before).orElse(null);
    if (after == null
        || was == null
        || job == null
        || after.phase() != RecoveryPhase.VERIFYING
        || was.phase() != RecoveryPhase.RESUMING) {
      return;
    }
    String attempt = before.meta().name() + "-" + after.attempt();
    if (!inPlace(after) && !carried.contains(job.meta().uid() + " " + attempt)) {
      broken(
          "recovery %s verifies attempt %s; its job never was un-suspended as that, and is %s"
              .formatted(before.meta().key(), attempt, job.template().attempt()));
    }
    Plan plan = after.plan();
    Integer size = plan == null ? null : plan.gangSize();
    Instant changed = resized.get(job.meta().uid());
    if (size != null
        && size != job.setup().ranks()
        && (changed == null || changed.plus(HEARD).isBefore(now()))) {
      broken(
          "recovery %s has started a gang of %d, and planned one of %d; it was resized at %s"
              .formatted(before.meta().key(), job.setup().ranks(), size, changed));
    }
  }
}
