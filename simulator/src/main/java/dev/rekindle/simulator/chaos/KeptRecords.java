package dev.rekindle.simulator.chaos;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.TimelineEntry;
import dev.rekindle.simulator.world.JobObject;
import dev.rekindle.simulator.world.RecoveryObject;
import dev.rekindle.simulator.world.World;
import java.time.Duration;
import java.util.List;

/**
 * Invariant 49: no recovery of an existing job is deleted if it is open, has restarted the job
 * within a day, or is one of the twenty newest. No bound. Why: the budget counts from these
 * records, names of recoveries are counted from them, and people read them the next day.
 */
final class KeptRecords extends Check {
  private static final int NEWEST = 20;
  private static final Duration DAY = Duration.ofDays(1);

  KeptRecords(World world, Invariants all) {
    super(world, all, Invariant.KEPT_RECORDS);
  }

  @Override
  public void removed(RecoveryObject recovery) {
    JobObject job = jobOf(recovery).orElse(null);
    RecoveryStatus status = recovery.status();
    if (job == null || clocksWereWrong()) {
      return;
    }
    String key = recovery.meta().key();
    if (recovery.open() || status == null) {
      broken("recovery %s is deleted, and is open".formatted(key));
    } else if (status.timeline().stream().anyMatch(this::isRestartOfToday)) {
      broken("recovery %s is deleted, and has restarted its job within a day".formatted(key));
    } else if (newer(recovery) < NEWEST) {
      broken(
          "recovery %s is deleted, and is one of the %d newest of its job".formatted(key, NEWEST));
    }
  }

  private boolean isRestartOfToday(TimelineEntry entry) {
    return entry.phase() == RecoveryPhase.VERIFYING && entry.time().isAfter(now().minus(DAY));
  }

  private long newer(RecoveryObject recovery) {
    List<RecoveryObject> all = world.recoveries().list();
    int own = ordinal(recovery);
    return all.stream()
        .filter(r -> r.spec().jobUid().equals(recovery.spec().jobUid()) && ordinal(r) > own)
        .count();
  }

  private static int ordinal(RecoveryObject recovery) {
    String name = recovery.meta().name();
    return Integer.parseInt(name.substring(name.lastIndexOf("-r") + 2));
  }
}
