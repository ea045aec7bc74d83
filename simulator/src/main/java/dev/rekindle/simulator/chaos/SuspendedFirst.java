package dev.rekindle.simulator.chaos;

import dev.rekindle.controller.model.JobView.Finish;
import dev.rekindle.controller.model.JobView.RestartPolicy;
import dev.rekindle.simulator.world.JobObject;
import dev.rekindle.simulator.world.PodObject;
import dev.rekindle.simulator.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * No pod is deleted unless its job is suspended, or frozen, by us. The two go out together, so the
 * suspension may be the later one, by as long as a leader takes to be replaced.
 */
final class SuspendedFirst extends Check {
  private static final Duration TOGETHER = Duration.ofMinutes(3);

  private final Map<String, Instant> held = new HashMap<>();
  private final Map<String, Instant> early = new HashMap<>();

  /** When the operator was last known to have seen that a job is suspended, or failed it. */
  private final Map<String, Instant> seen = new HashMap<>();

  private final Map<String, Instant> failed = new HashMap<>();

  SuspendedFirst(World world, Invariants all) {
    super(world, all, Invariant.SUSPENDED_FIRST);
    world
        .jobs()
        .watch(
            change -> {
              JobObject job = change.object();
              remember(change.before());
              remember(change.after());
              if (change.after() == null) {
                early.remove(job.meta().uid());
              } else if (job.suspend()) {
                holds(job.meta().uid());
              }
            });
    world.orders().watch(change -> holds(change.object().spec().jobUid()));
  }

  private void remember(@Nullable JobObject job) {
    if (job != null && job.suspend() && job.status().suspended()) {
      seen.put(job.meta().uid(), now());
    }
    if (job != null && job.status().finish() == Finish.FAILED) {
      failed.put(job.meta().uid(), now());
    }
  }

  private static boolean isNever(JobObject job) {
    return job.setup().restart() == RestartPolicy.NEVER;
  }

  /**
   * Until the operator has seen the suspension it makes pods again that are removed by force, and
   * under Never it takes one that is deleted for a failure of the job.
   */
  private void unseen(JobObject job, PodObject pod, Duration grace) {
    String uid = job.meta().uid();
    Instant sawAt = seen.get(uid);
    boolean saw = (job.suspend() && job.status().suspended()) || (sawAt != null && !longAgo(sawAt));
    if (saw || ordered(uid)) {
      return;
    }
    if (grace.isZero()) {
      broken(
          "pod %s is removed by force; the operator has not seen that job %s is suspended"
              .formatted(pod.meta().name(), job.key()));
    } else if (isNever(job) && job.status().finish() != Finish.FAILED && !failed.containsKey(uid)) {
      broken(
          "pod %s is deleted, under restart policy Never; the operator has not seen that job %s is suspended"
              .formatted(pod.meta().name(), job.key()));
    }
  }

  private void holds(String jobUid) {
    held.put(jobUid, now());
    early.remove(jobUid);
  }

  @Override
  public void deleted(PodObject pod, Duration grace) {
    JobObject job = world.jobs().find(pod.job().toString()).orElse(null);
    String uid = pod.meta().owner();
    if (job == null || !job.meta().uid().equals(uid)) {
      return;
    }
    unseen(job, pod, grace);
    if (job.suspend() || ordered(uid)) {
      return;
    }
    Instant last = held.get(uid);
    if (last == null || longAgo(last)) {
      early.putIfAbsent(uid, now());
      look();
    }
  }

  private boolean ordered(String jobUid) {
    for (var order : world.orders().all()) {
      if (order.spec().jobUid().equals(jobUid)) {
        return true;
      }
    }
    return false;
  }

  @Override
  void look() {
    early.forEach(
        (uid, since) -> {
          if (since.plus(TOGETHER).isBefore(now())) {
            broken(
                "pods of the job with UID %s are deleted since %s; it is neither suspended nor frozen"
                    .formatted(uid, since));
          }
        });
  }
}
