package dev.rekindle.controller.model;

import java.time.Duration;

/**
 * How long, and how many, ended recoveries are kept of jobs that are gone.
 *
 * @param age from the end of a recovery on
 * @param perJob of jobs of one name
 * @param perNamespace of all jobs of a namespace that are gone: a user who may create jobs may make
 *     recoveries, and names are cheap
 */
public record HistoryLimits(Duration age, int perJob, int perNamespace) {
  /** Where nothing else is said. */
  public static final HistoryLimits DEFAULT = new HistoryLimits(Duration.ofDays(30), 20, 500);
}
