package dev.rekindle.simulator.chaos;

import dev.rekindle.api.CauseReason;
import dev.rekindle.api.JobRef;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoverySpec;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RecoveryStatus.Cause;
import dev.rekindle.api.TimelineEntry;
import dev.rekindle.simulator.api.Meta;
import dev.rekindle.simulator.world.JobObject;
import dev.rekindle.simulator.world.RecoveryObject;
import dev.rekindle.simulator.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * Recoveries of a job from before a run began, more than are kept: some are older than a day, and
 * may go; others have restarted the job within a day, and may not.
 */
final class OldRecords {
  private static final int COUNT = 24;

  /** Of the oldest; the others ended from nine hours ago on. */
  private static final List<Duration> AGES =
      List.of(
          Duration.ofHours(40), Duration.ofHours(26), Duration.ofHours(20), Duration.ofHours(11));

  private static final List<RecoveryPhase> PHASES =
      List.of(
          RecoveryPhase.DETECTED,
          RecoveryPhase.DRAINING,
          RecoveryPhase.PLANNING,
          RecoveryPhase.RESUMING,
          RecoveryPhase.VERIFYING,
          RecoveryPhase.RECOVERED);

  private OldRecords() {}

  /** Of that job. */
  static void of(World world, JobObject job, Instant now) {
    for (int i = 0; i < COUNT; i++) {
      Duration ago =
          i < AGES.size() ? AGES.get(i) : Duration.ofMinutes(540 - 20L * (i - AGES.size()));
      String name = "%s-r%d".formatted(job.key().name(), i + 1);
      Instant then = now.minus(ago);
      RecoverySpec spec =
          new RecoverySpec(JobRef.pyTorchJob(job.key().name(), job.meta().uid()), then, null);
      var _ =
          world
              .recoveries()
              .create(
                  new RecoveryObject(
                      Meta.draft(job.key().namespace(), name, job.meta().uid()),
                      spec,
                      status(then)));
    }
  }

  private static RecoveryStatus status(Instant then) {
    List<TimelineEntry> timeline = new ArrayList<>();
    for (int i = 0; i < PHASES.size(); i++) {
      timeline.add(new TimelineEntry(PHASES.get(i), then.plusSeconds(10L * i), "long ago"));
    }
    TimelineEntry last = timeline.getLast();
    Cause cause =
        new Cause(
            CauseReason.POD_FAILED.word(),
            "a pod failed",
            List.of(),
            List.of(),
            List.of(),
            List.of(),
            null);
    return new RecoveryStatus(
        last.phase(), last.time(), 1, null, cause, null, null, timeline, List.of());
  }
}
