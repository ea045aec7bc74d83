package dev.rekindle.simulator.world;

import dev.rekindle.controller.model.JobKey;
import java.util.Map;

/** Observes what no object shows. */
public interface TruthObserver {
  /**
   * More processes of a job run than before.
   *
   * @param running generations of all its processes that execute, and how many of each
   */
  default void runs(JobKey job, Map<String, Integer> running) {}

  /**
   * Training begins.
   *
   * @param generation of all its processes
   * @param template what rank 0 was given
   * @param from the step it resumes from
   */
  default void begins(JobKey job, String generation, JobObject.Template template, long from) {}

  /**
   * A process has found the store of a leader of another generation: it cannot train.
   *
   * @param survivor whether its container was restarted in place; else its pod is a replacement
   */
  default void findsOldStore(JobKey job, String pod, boolean survivor) {}

  /**
   * An agent inspects what a rank is doing.
   *
   * @param standing whether its peers wait for it: it does nothing, has no process, or its device
   *     stands
   * @param dumped whether it has written a complete dump
   * @param lies whether some rank of the job logs, or uses, false values
   */
  default void looksAt(JobKey job, int rank, Standing standing, boolean dumped, boolean lies) {}

  /** Whether a rank holds up its peers, and by what. */
  enum Standing {
    /** It does not. */
    NOT,
    /** Its process has not come to what they wait in, or there is none. */
    ON_HOST,
    /** Its process has, and its device does not get on. */
    ON_DEVICE
  }

  /** An agent freezes the container of a pod on the word of an order. */
  default void freezes(OrderObject order, PodObject pod) {}
}
