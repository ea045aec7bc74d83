package dev.rekindle.simulator.chaos;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.simulator.api.Change;
import dev.rekindle.simulator.world.JobObject;
import dev.rekindle.simulator.world.RecoveryObject;
import dev.rekindle.simulator.world.World;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Invariant 26, of jobs that Kueue admits: a recovery that restarts its gang in place ends because
 * Kueue has started the job again only if the job was suspended during the recovery. No bound. Why:
 * otherwise each restart in place of such a job ends as Cancelled, without a check that the gang
 * trains.
 */
final class StartedByKueue extends Check {
  private static final String STARTED = "Kueue stopped the job and has started it again";

  /** When a job was last suspended, by its UID. */
  private final Map<String, Instant> suspended = new HashMap<>();

  StartedByKueue(World world, Invariants all) {
    super(world, all, Invariant.TRUE_CANCELS);
    world.jobs().watch(this::changed);
  }

  private void changed(Change<JobObject> change) {
    JobObject after = change.after();
    if (after != null && after.suspend()) {
      suspended.put(after.meta().uid(), now());
    }
  }

  @Override
  public void saved(RecoveryObject before, @Nullable RecoveryStatus after) {
    if (after == null
        || after.phase() != RecoveryPhase.CANCELLED
        || isOver(before.status())
        || !inPlace(before.status())
        || after.timeline().isEmpty()
        || !after.timeline().getLast().detail().startsWith(STARTED)) {
      return;
    }
    Instant last = suspended.getOrDefault(before.spec().jobUid(), Instant.MIN);
    if (last.isBefore(before.meta().created())) {
      broken(
          before.view().job(),
          "recovery %s ends, as Kueue has started its job again, which was suspended last at %s"
              .formatted(before.meta().key(), last));
    }
  }
}
