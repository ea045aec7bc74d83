package dev.rekindle.simulator.world;

import dev.rekindle.controller.model.JobKey;
import dev.rekindle.simulator.api.Change;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Keys of pods by the label of their job, in the order in which the pods came. */
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

  List<String> keys(JobKey job) {
    return keysByJob.getOrDefault(job, List.of());
  }
}
