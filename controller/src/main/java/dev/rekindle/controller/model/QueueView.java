package dev.rekindle.controller.model;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What the controller keeps of a ClusterQueue of Kueue.
 *
 * @param name its name
 * @param stopped whether it admits nothing now, for whatever reason
 * @param heldFor the recovery for which we hold it, {@code namespace/job/recovery}, by our
 *     annotation; empty when we do not
 * @param heldAt when it was last held by us, absent when it never was
 */
public record QueueView(String name, boolean stopped, String heldFor, @Nullable Instant heldAt) {
  /** The value that names a recovery of a job. */
  public static String holder(JobKey job, String recovery) {
    return job.namespace() + "/" + job.name() + "/" + recovery;
  }

  /** Whether it is held for a recovery of the job. */
  public boolean heldFor(JobKey job) {
    return heldFor.startsWith(job.namespace() + "/" + job.name() + "/");
  }

  /** The job whose recovery holds it; absent when none does. */
  public @Nullable JobKey holdingJob() {
    String[] parts = heldFor.split("/", -1);
    return parts.length == 3 ? new JobKey(parts[0], parts[1]) : null;
  }
}
