package dev.rekindle.controller.recovery;

import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.RankView;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Whether the gang of an attempt is in a crash loop before its first step: its kubelets have
 * started a container again {@link #ENOUGH} times since all of its pods run, and it ended by itself
 * again. With the pauses of a kubelet (none, then 10 s, doubling) that takes some three minutes,
 * and the time in which a gang has to make its first step is half an hour.
 *
 * <p>A worker may fail some times in a healthy start, as it cannot connect before its master
 * listens. So what came before all pods ran does not count, and nothing does while the container of
 * rank 0 has not ended: a master that is slow to listen lets its workers fail for as long as it
 * takes. Where the gang before this one took a known time to its first step, and this one takes
 * more than twice as long, the master is not waited for.
 *
 * <p>Kubernetes keeps how the last run of a container ended, and of the others their number alone.
 * The last one must have ended by itself: no kill, by the kernel for its memory or by a kubelet or
 * an agent, and no exit code by which a script asks to be run again. The restart that an agent was
 * ordered to do is not counted.
 *
 * @param restarts by UID of the pod, how often a kubelet has started a container of it again
 * @param gang its pods, all of which run
 */
record StartLoop(Map<String, Integer> restarts, List<PodView> gang) {
  /** After so many more restarts it is a loop: the fifth run has ended, or the sixth. */
  static final int ENOUGH = 4;

  private static final int SIGKILL = 137;
  private static final int SIGTERM = 143;

  /** Ends that do not speak of a crash. */
  private static final Set<Integer> OTHERS =
      Set.of(0, PodView.Failure.RERUN, PodView.Failure.NEVER_RESTART, SIGKILL, SIGTERM);

  private static final Set<String> ENDS = Set.of("ExitCode", "Signal", "CrashLoop");

  /**
   * Counts restarts. The number of a pod is that of all its containers, so one that only stands
   * beside the ranks would count: where an agent reports on the container of the rank, no more than
   * it says.
   *
   * @param size how many pods make the gang whole
   * @param generation what agents were ordered to restart; empty where they were not
   * @return empty while not all pods run
   */
  static Optional<StartLoop> of(
      List<PodView> gang, int size, List<RankView> ranks, Optional<Generation> generation) {
    boolean runs =
        gang.size() == size
            && gang.stream().allMatch(p -> p.phase() == PodView.Phase.RUNNING && !p.terminating());
    if (!runs) {
      return Optional.empty();
    }
    Map<String, Integer> reported = new HashMap<>();
    ranks.forEach(r -> reported.merge(r.podUid(), r.restartCount(), Math::max));
    Map<String, Integer> restarts = new HashMap<>();
    for (PodView pod : gang) {
      int all = Math.min(pod.restarts(), reported.getOrDefault(pod.uid(), pod.restarts()));
      int ordered =
          generation.flatMap(g -> g.reported(pod)).map(r -> r.restartCount() + 1).orElse(0);
      restarts.put(pod.uid(), Math.max(0, all - ordered));
    }
    return Optional.of(new StartLoop(restarts, gang));
  }

  StartLoop {
    restarts = Map.copyOf(restarts);
    gang = List.copyOf(gang);
  }

  private int of(PodView pod) {
    return restarts.getOrDefault(pod.uid(), 0);
  }

  /** Most restarts of one pod. */
  int most() {
    return gang.stream().mapToInt(this::of).max().orElse(0);
  }

  /**
   * The pod in a crash loop that was started again most often; empty where none is.
   *
   * @param before most restarts of one pod when all were first seen to run; absent where that is
   *     not written down
   * @param late whether the gang should train by now, so that rank 0 is not just slow
   */
  Optional<PodView> crashing(@Nullable Integer before, boolean late) {
    if (before == null || !(late || masterHasEnded())) {
      return Optional.empty();
    }
    return gang.stream()
        .filter(pod -> of(pod) >= before + ENOUGH && hasCrashed(pod))
        .max(Comparator.comparingInt(this::of));
  }

  private boolean masterHasEnded() {
    return gang.stream()
        .min(Comparator.comparingInt(PodView::rank))
        .filter(master -> of(master) > 0)
        .isPresent();
  }

  private static boolean hasCrashed(PodView pod) {
    PodView.Failure failure = pod.failure();
    return failure != null
        && failure.exitCode() != null
        && ENDS.contains(failure.kind())
        && !OTHERS.contains(Objects.requireNonNull(failure.exitCode()));
  }
}
