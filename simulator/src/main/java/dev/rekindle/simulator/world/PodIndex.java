package dev.rekindle.simulator.world;

import dev.rekindle.controller.model.JobKey;
import dev.rekindle.simulator.api.Change;
import dev.rekindle.simulator.api.Collection;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Pods by the label of their job, in the order in which they came. */
final class PodIndex {
  private final Map<JobKey, List<String>> keysByJob = new HashMap<>();

  void changed(Change<PodObject> change) {
    List<String> keys = keysByJob.computeIfAbsent(change.object().job(), _ -> new ArrayList<>());
    if (change.after() == null) {
      keys.remove(change.key());
    } else if (!keys.contains(change.key())) {
      keys.add(change.key());
    }
  }

  /** Pods by the label of their job, of any job UID. */
  List<PodObject> pods(Collection<PodObject> pods, JobKey job) {
    List<PodObject> of = new ArrayList<>();
    for (String key : keysByJob.getOrDefault(job, List.of())) {
      pods.find(key).ifPresent(of::add);
    }
    return of;
  }

  /** Pods of exactly this job. */
  List<PodObject> pods(Collection<PodObject> pods, JobObject job) {
    List<PodObject> of = pods(pods, job.key());
    of.removeIf(pod -> !pod.meta().owner().equals(job.meta().uid()));
    return of;
  }
}
