package dev.rekindle.api;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;

/**
 * How often a job saves, how often it should, and what the difference costs: by its own record of
 * failures. Times are in seconds.
 *
 * @param secondsApart its interval between two saves
 * @param secondsLong for how long one save keeps it from training
 * @param mtbfSeconds time that it has trained, by the number of its failures
 * @param restartSeconds from a failure until it trains again, on average
 * @param bestSecondsApart Young's interval, of these
 * @param ettr the share of time that trains with its own interval, expected (Meta's estimator)
 * @param bestEttr the same with the best interval
 * @param gpuHoursPerDay what the difference costs, in GPU-hours per day
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record SaveEconomics(
    @Min(0) double secondsApart,
    @Min(0) double secondsLong,
    @Min(0) double mtbfSeconds,
    @Min(0) double restartSeconds,
    @Min(0) double bestSecondsApart,
    @Min(0) @Max(1) double ettr,
    @Min(0) @Max(1) double bestEttr,
    @Min(0) double gpuHoursPerDay) {}
