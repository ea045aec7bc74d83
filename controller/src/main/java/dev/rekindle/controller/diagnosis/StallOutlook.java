package dev.rekindle.controller.diagnosis;

import dev.rekindle.controller.model.Policy;
import java.time.Duration;
import java.time.Instant;

/**
 * How long the steps of a job may stand now before that is a stall.
 *
 * @param timeout so long
 * @param why what it is made of, as a clause
 */
public record StallOutlook(Duration timeout, String why) {
  /** By the rules that find a stall. Pure. */
  public static StallOutlook of(JobSnapshot s, Policy policy, Instant now) {
    var threshold = StallThreshold.of(s, GangProgress.of(s.pods(), s.ranks()), policy, now);
    return new StallOutlook(threshold.timeout(), threshold.why());
  }
}
