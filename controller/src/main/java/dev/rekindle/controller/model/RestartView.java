package dev.rekindle.controller.model;

import dev.rekindle.api.RestartReportSpec;

/**
 * What the controller keeps of a RestartReport: how far the agent of one node has come.
 *
 * @param namespace its namespace, the job's
 * @param name its name
 * @param spec what it says
 */
public record RestartView(String namespace, String name, RestartReportSpec spec) {
  /** The job whose gang is being restarted. */
  public JobKey job() {
    return new JobKey(namespace, spec.job());
  }
}
