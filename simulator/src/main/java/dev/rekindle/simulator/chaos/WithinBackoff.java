package dev.rekindle.simulator.chaos;

import dev.rekindle.api.RestartInstruction;
import dev.rekindle.controller.model.JobView.Finish;
import dev.rekindle.simulator.api.Change;
import dev.rekindle.simulator.world.JobObject;
import dev.rekindle.simulator.world.OrderObject;
import dev.rekindle.simulator.world.PodObject;
import dev.rekindle.simulator.world.World;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A restart in place is never what uses up the backoffLimit of a job. */
final class WithinBackoff extends Check {
  private final Map<String, Map<String, Integer>> atOrder = new HashMap<>();

  WithinBackoff(World world, Invariants all) {
    super(world, all, Invariant.WITHIN_BACKOFF);
    world.jobs().watch(this::changed);
  }

  @Override
  public void ordered(@Nullable OrderObject before, OrderObject after) {
    if (before != null && before.spec().instruction() == RestartInstruction.FREEZE) {
      atOrder.put(after.spec().jobUid(), restarts(after.spec().jobUid(), after));
    }
  }

  private Map<String, Integer> restarts(String jobUid, OrderObject order) {
    Map<String, Integer> restarts = new HashMap<>();
    for (PodObject pod : world.podsOf(order.job())) {
      if (pod.meta().owner().equals(jobUid) && !order.isOlderThan(pod)) {
        restarts.put(pod.meta().uid(), pod.status().restarts());
      }
    }
    return restarts;
  }

  private void changed(Change<JobObject> change) {
    JobObject was = change.before();
    JobObject job = change.after();
    if (was == null
        || job == null
        || was.status().finish() != Finish.NOT_FINISHED
        || !job.status().message().contains("backoff limit")) {
      return;
    }
    Map<String, Integer> then = atOrder.getOrDefault(job.meta().uid(), Map.of());
    boolean ours = false;
    for (PodObject pod : world.podsOf(job)) {
      Integer before = then.get(pod.meta().uid());
      int more = pod.status().restarts() - (before == null ? 0 : before);
      if (more > (before == null ? 0 : 1)) {
        // Something else has ended it as well.
        return;
      }
      ours |= more == 1;
    }
    if (ours) {
      broken(job.key(), "a restart in place has used up the backoffLimit of job " + job.key());
    }
  }
}
