package dev.rekindle.controller.recovery;

import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.RecoveryView;
import dev.rekindle.detect.SteadyClock;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * How long recoveries have been in their phases. The start of a phase is stored by the wall clock,
 * for the next leader. From the first reconcile of this process on, the time is counted by a
 * monotonic clock, so that no time-out comes an hour early or late if the wall clock is set.
 */
final class PhaseTimes {
  /** Clocks that are a little apart are taken as they are. */
  private static final Duration APART = Duration.ofSeconds(5);

  private final SteadyClock steady;
  private final Map<JobKey, Seen> seen = new ConcurrentHashMap<>();

  /**
   * @param elapsed time in the phase when it was first seen
   * @param at when that was, by the steady clock
   */
  private record Seen(String recovery, Instant since, Duration elapsed, Instant at) {}

  PhaseTimes(SteadyClock steady) {
    this.steady = steady;
  }

  /** The recovery as it would be if the clock had always been what it is now. */
  RecoveryView settled(RecoveryView recovery, Instant now) {
    RecoveryStatus status = recovery.status();
    if (status == null || status.phaseSince() == null) {
      return recovery;
    }
    Instant since = status.phaseSince();
    Duration shown = Duration.between(since, now);
    Seen first =
        seen.compute(
            recovery.job(),
            (_, before) ->
                before != null
                        && before.recovery().equals(recovery.name())
                        && before.since().equals(since)
                    ? before
                    : new Seen(
                        recovery.name(),
                        since,
                        shown.isNegative() ? Duration.ZERO : shown,
                        steady.instant()));
    Duration elapsed = first.elapsed().plus(Duration.between(first.at(), steady.instant()));
    return shown.minus(elapsed).abs().compareTo(APART) <= 0
        ? recovery
        : recovery.with(status.withPhaseSince(now.minus(elapsed)));
  }

  /** Nothing of the job is under way any more. */
  void forget(JobKey job) {
    seen.remove(job);
  }
}
