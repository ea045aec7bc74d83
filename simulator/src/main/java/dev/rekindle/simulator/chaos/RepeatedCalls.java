package dev.rekindle.simulator.chaos;

import dev.rekindle.controller.model.JobKey;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;

/**
 * When calls for a job were last made. While a call is necessary the controller must repeat it:
 * after a refusal it waits for at most a minute, and another leader takes fifteen seconds more.
 */
final class RepeatedCalls {
  private static final Duration LONGEST = Duration.ofSeconds(75);

  private final Map<JobKey, Instant> last = new HashMap<>();

  void called(JobKey job, Instant now) {
    last.put(job, now);
  }

  /** The last call for that job; {@link Instant#MIN} where there was none. */
  Instant last(JobKey job) {
    return last.getOrDefault(job, Instant.MIN);
  }

  /** Whether a call that is necessary since then is overdue. */
  boolean isOverdue(JobKey job, Instant since, Instant now) {
    Instant called = last(job);
    return (called.isAfter(since) ? called : since).plus(LONGEST).isBefore(now);
  }
}
