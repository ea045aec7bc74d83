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

  /** The node whose agent wrote it. */
  public String node() {
    return spec.node();
  }

  /** The same that shows no rank, and says so. */
  public RestartView withoutEvidence() {
    return new RestartView(namespace, name, spec.withoutEvidence());
  }
}
