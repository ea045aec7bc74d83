package dev.rekindle.simulator.world;

import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.PodView;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;

/** The training of every job that was submitted, by the UID of the job. */
public final class Gangs {
  private final Map<String, Gang> byJobUid = new LinkedHashMap<>();

  Gangs() {}

  void add(String jobUid, Gang gang) {
    byJobUid.put(jobUid, gang);
  }

  Gang get(String jobUid) {
    return Objects.requireNonNull(byJobUid.get(jobUid), jobUid);
  }

  Gang get(JobKey job, String jobUid) {
    return Objects.requireNonNull(byJobUid.get(jobUid), job::toString);
  }

  /** The training of the job of that UID, where there was such a job. */
  public Optional<Gang> find(String jobUid) {
    return Optional.ofNullable(byJobUid.get(jobUid));
  }

  Collection<Gang> all() {
    return byJobUid.values();
  }

  /** Applies a change to each gang. The change may add a gang. */
  void each(Consumer<Gang> change) {
    List.copyOf(byJobUid.values()).forEach(change);
  }

  /** Whether the container of that pod has a process, whatever the API says of the pod. */
  public boolean hasProcess(PodView pod) {
    Gang gang = byJobUid.get(pod.jobUid());
    return gang != null && gang.processes().find(pod.uid()) != null;
  }
}
