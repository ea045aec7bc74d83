package dev.rekindle.controller.port;

import dev.rekindle.controller.model.JobKey;

/**
 * Receives what needs another reconcile. Called on the threads of the watches; must return at once.
 */
public interface Changes {
  /** Something about the job, its pods, ranks, recoveries or nodes changed. */
  void job(JobKey key);

  /** Something about the node or its faults changed. */
  void node(String name);

  /** The spec of the policy, or of the policy {@code default}, may have changed. */
  default void policy(String name) {}
}
