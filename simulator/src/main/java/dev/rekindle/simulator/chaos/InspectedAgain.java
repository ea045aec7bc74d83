package dev.rekindle.simulator.chaos;

import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.controller.kubernetes.convert.InspectorJob;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.recovery.HoldReason;
import dev.rekindle.simulator.process.Answers;
import dev.rekindle.simulator.process.Answers.Call;
import dev.rekindle.simulator.world.JobObject;
import dev.rekindle.simulator.world.RecoveryObject;
import dev.rekindle.simulator.world.World;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Invariant 65: in the calm a recovery that is held because no checkpoint could be judged has an
 * inspector, or requests one every 75 s. Bound: a minute is the longest pause after a refusal. Why:
 * an inspector ends after some minutes, and users may delete it; a hold that requests no other one
 * never ends.
 */
final class InspectedAgain extends Check {
  private final Answers answers;
  private final RepeatedCalls starts = new RepeatedCalls();

  /** By key of a recovery, since when it is held and has no inspector. */
  private final Map<String, Instant> without = new HashMap<>();

  InspectedAgain(World world, Invariants all, Answers answers) {
    super(world, all, Invariant.INSPECTED_AGAIN);
    this.answers = answers;
  }

  @Override
  public void called(Call call, @Nullable JobKey job) {
    if (call == Call.START_INSPECTOR && job != null) {
      starts.called(job, now());
    }
  }

  @Override
  boolean isWaiting() {
    return !without.isEmpty();
  }

  @Override
  void look() {
    for (RecoveryObject recovery : world.recoveries().all()) {
      String key = recovery.meta().key();
      JobObject job = jobOf(recovery).orElse(null);
      if (clocksWereWrong()
          || job == null
          || !isUnjudged(recovery.status())
          || hasInspector(recovery)
          || answers.refusedForGood(Call.START_INSPECTOR, job.key())
          // That it is gone cannot be seen.
          || answers.refusedForGood(Call.INSPECT, job.key())) {
        without.remove(key);
        continue;
      }
      Instant since = without.computeIfAbsent(key, _ -> now());
      if (starts.isOverdue(job.key(), since, now())) {
        broken(
            job.key(),
            "recovery %s is held as nothing could be judged, has no inspector since %s, and has"
                    .formatted(key, since)
                + " asked for none since "
                + starts.last(job.key()));
      }
    }
  }

  private static boolean isUnjudged(@Nullable RecoveryStatus status) {
    return isHeld(status, HoldReason.CHECKPOINT_UNKNOWN);
  }

  private boolean hasInspector(RecoveryObject recovery) {
    String name = InspectorJob.name(recovery.meta().name());
    return world.inspectors().find(recovery.meta().namespace() + "/" + name).isPresent();
  }
}
