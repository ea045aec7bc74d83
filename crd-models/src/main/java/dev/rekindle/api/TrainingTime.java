package dev.rekindle.api;

import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Required;
import java.time.Duration;
import java.time.Instant;

/**
 * Where the time of a job went, from the creation of its first pods that were seen. The parts that
 * did not train have the names of Google's badput ({@code ml_goodput_measurement} 0.2.3); what
 * nothing speaks against counts as productive, so an evaluation and waiting for data do.
 *
 * @param since the beginning
 * @param until the moment up to which time is split
 * @param failures how many failures it has had that a recovery repaired
 * @param infrastructureRecoverySeconds from the last step before a failure until the pods, or their
 *     containers, were started again
 * @param programStartupSeconds from there, or from the first pods, until the first step: loading a
 *     checkpoint is in it, as it cannot be separated from outside
 * @param wastedProgressSeconds steps that were made twice
 * @param checkpointSaveSeconds how long saves have kept the job from training, as far as its log
 *     says
 * @param productiveSeconds what is left of it for training; derived from the others
 * @param ettr the effective training time ratio, from 0 to 1: productive time by all time; 1 where
 *     no time has gone by; derived from the others
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record TrainingTime(
    @Required @JsonFormat(shape = JsonFormat.Shape.STRING) Instant since,
    @Required @JsonFormat(shape = JsonFormat.Shape.STRING) Instant until,
    @Min(0) @Max(Integer.MAX_VALUE) int failures,
    @Min(0) double infrastructureRecoverySeconds,
    @Min(0) double programStartupSeconds,
    @Min(0) double wastedProgressSeconds,
    @Min(0) double checkpointSaveSeconds,
    @Min(0) double productiveSeconds,
    @Min(0) @Max(1) double ettr) {
  /** One whose productive time follows from the rest. */
  public TrainingTime(
      Instant since,
      Instant until,
      int failures,
      double infrastructureRecoverySeconds,
      double programStartupSeconds,
      double wastedProgressSeconds,
      double checkpointSaveSeconds) {
    this(
        since,
        until,
        failures,
        infrastructureRecoverySeconds,
        programStartupSeconds,
        wastedProgressSeconds,
        checkpointSaveSeconds,
        0,
        0);
  }

  public TrainingTime {
    since = Bounds.time(since);
    until = Bounds.time(until);
    failures = Math.max(0, failures);
    infrastructureRecoverySeconds = Bounds.seconds(infrastructureRecoverySeconds);
    programStartupSeconds = Bounds.seconds(programStartupSeconds);
    wastedProgressSeconds = Bounds.seconds(wastedProgressSeconds);
    checkpointSaveSeconds = Bounds.seconds(checkpointSaveSeconds);
    double wall = seconds(since, until);
    double lost =
        infrastructureRecoverySeconds
            + programStartupSeconds
            + wastedProgressSeconds
            + checkpointSaveSeconds;
    productiveSeconds = Math.max(0, wall - lost);
    ettr = wall > 0 ? productiveSeconds / wall : 1;
  }

  /** All of its time, in seconds; never less than 0. */
  public double wallSeconds() {
    return seconds(since, until);
  }

  /** Seconds from one time to a later one; 0 where a clock was set back between them. */
  public static double seconds(Instant from, Instant to) {
    return Math.max(0, Duration.between(from, to).toMillis() / 1000.0);
  }
}
