package dev.rekindle.simulator.world;

import dev.rekindle.controller.cluster.JobKey;
import java.util.Map;

/** Told of what no object shows. */
public interface Witness {
  /**
   * More processes of a job run than before.
   *
   * @param running attempts of all its processes that execute, and how many of each
   */
  default void runs(JobKey job, Map<String, Integer> running) {}

  /**
   * Training begins.
   *
   * @param template what rank 0 was told
   * @param from the step it resumes from
   */
  default void begins(JobKey job, JobObject.Template template, long from) {}
}
