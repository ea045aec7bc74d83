package dev.rekindle.controller.recovery;

import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.RecoveryView;
import dev.rekindle.detect.SteadyClock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Gangs whose pods vanish from the API before their kubelets have ended them: those with a grace
 * period of 0, which the training operator deletes once their job is suspended. A kubelet gives
 * each container two seconds all the same. So such a gang counts as drained only {@link #KUBELET}
 * after this process has first seen no pod of it.
 */
final class RemovedAtOnce {
  /** A kubelet takes so long, and less, to end a process whose grace period is over. */
  static final Duration KUBELET = Duration.ofSeconds(5);

  private final SteadyClock steady;
  private final Map<JobKey, Removal> removals = new ConcurrentHashMap<>();

  /**
   * What is known of a gang.
   *
   * @param recovery the recovery that stops it
   * @param atOnce whether a pod of it had a grace period of 0
   * @param since when it was first seen without a pod; absent while it has some
   */
  private record Removal(String recovery, boolean atOnce, @Nullable Instant since) {}

  RemovedAtOnce(SteadyClock steady) {
    this.steady = steady;
  }

  /** No recovery of the job is open any more. */
  void forget(JobKey key) {
    removals.remove(key);
  }

  /**
   * Whether a gang has ended for certain.
   *
   * @param pods its pods
   * @param none whether the API server shows none of them
   */
  boolean hasEnded(JobView job, RecoveryView recovery, List<PodView> pods, boolean none) {
    Removal stored = removals.get(job.key());
    Removal before =
        stored != null && stored.recovery().equals(recovery.name())
            ? stored
            : new Removal(recovery.name(), false, null);
    boolean atOnce =
        job.removedAtOnce()
            || before.atOnce()
            || pods.stream().anyMatch(pod -> pod.graceSeconds() == 0);
    Instant now = steady.instant();
    Instant since = none ? Objects.requireNonNullElse(before.since(), now) : null;
    removals.put(job.key(), new Removal(recovery.name(), atOnce, since));
    return since != null && (!atOnce || !now.isBefore(since.plus(KUBELET)));
  }
}
