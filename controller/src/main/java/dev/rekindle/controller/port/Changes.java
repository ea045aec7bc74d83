package dev.rekindle.controller.port;

import dev.rekindle.controller.model.JobKey;
import java.util.function.Consumer;

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

  /** Passes each on by its key. */
  static Changes to(Consumer<JobKey> jobs, Consumer<String> nodes, Consumer<String> policies) {
    return new Changes() {
      @Override
      public void job(JobKey key) {
        jobs.accept(key);
      }

      @Override
      public void node(String name) {
        nodes.accept(name);
      }

      @Override
      public void policy(String name) {
        policies.accept(name);
      }
    };
  }
}
