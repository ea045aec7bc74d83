package dev.rekindle.simulator.chaos;

import dev.rekindle.simulator.world.JobObject;
import dev.rekindle.simulator.world.PodObject;
import dev.rekindle.simulator.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;

/**
 * No pod is deleted unless its job is suspended, or frozen, by us. The two go out together, so the
 * suspension may be the later one, by as long as a leader takes to be replaced.
 */
final class SuspendedFirst extends Check {
  private static final Duration TOGETHER = Duration.ofMinutes(3);

  private final Map<String, Instant> held = new HashMap<>();
  private final Map<String, Instant> early = new HashMap<>();

  SuspendedFirst(World world, Invariants all) {
    super(world, all, Invariant.SUSPENDED_FIRST);
    world
        .jobs()
        .watch(
            change -> {
              JobObject job = change.object();
              if (change.after() == null) {
                early.remove(job.meta().uid());
              } else if (job.suspend()) {
                holds(job.meta().uid());
              }
            });
    world.orders().watch(change -> holds(change.object().spec().jobUid()));
  }

  private void holds(String jobUid) {
    held.put(jobUid, now());
    early.remove(jobUid);
  }

  @Override
  public void deleted(PodObject pod, Duration grace) {
    JobObject job = world.jobs().find(pod.job().toString()).orElse(null);
    String uid = pod.meta().owner();
    if (job == null || !job.meta().uid().equals(uid) || job.suspend() || ordered(uid)) {
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
