package dev.rekindle.controller.model;

import dev.rekindle.api.RestartOrderSpec;
import java.time.Instant;

/**
 * What the controller keeps of a RestartOrder.
 *
 * @param namespace its namespace, the job's
 * @param name its name, the id of the attempt
 * @param uid its UID
 * @param created when, by the clock of the API server, in whole seconds
 * @param spec what it says
 */
public record OrderView(
    String namespace, String name, String uid, Instant created, RestartOrderSpec spec) {
  /** The job whose gang is to be restarted. */
  public JobKey job() {
    return new JobKey(namespace, spec.job());
  }
}
