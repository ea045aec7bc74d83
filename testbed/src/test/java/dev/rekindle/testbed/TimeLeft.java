package dev.rekindle.testbed;

import java.time.Instant;
import java.time.InstantSource;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Skips tests that would begin after {@code -Dtestbed.until=SECONDS}, in seconds since 1970. On a
 * machine so slow that the whole run would be cut off, the tests before that count, and the report
 * has the others as skipped.
 */
final class TimeLeft implements ExecutionCondition {
  private final Instant until;
  private final InstantSource clock;

  /** As the command line says; no limit where it says nothing. */
  TimeLeft() {
    this(
        Instant.ofEpochSecond(Long.getLong("testbed.until", Instant.MAX.getEpochSecond())),
        InstantSource.system());
  }

  TimeLeft(Instant until, InstantSource clock) {
    this.until = until;
    this.clock = clock;
  }

  @Override
  public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
    return result();
  }

  ConditionEvaluationResult result() {
    return clock.instant().isBefore(until)
        ? ConditionEvaluationResult.enabled("")
        : ConditionEvaluationResult.disabled("no time is left: tests begin until " + until);
  }
}
