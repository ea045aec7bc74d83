package dev.rekindle.agent.progress;

import dev.rekindle.detect.pod.TrainingPod;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Which training pods of a node are followed. A kubelet runs some hundred pods, but anybody who may
 * create pods can name the node in thousands that it rejects, or that end at once and stay. Each
 * that is followed takes time in every round, and one report in the API server.
 */
final class PodSelection {
  /** More pods than a kubelet runs. */
  static final int LIVE = 512;

  /** Pods that have ended, of which the last lines may still be read. */
  static final int FINISHED = 256;

  /** The same of one namespace: none takes the places of all others. */
  static final int FINISHED_OF_NAMESPACE = 64;

  private static final Comparator<TrainingPod> OLDEST_FIRST =
      Comparator.comparing(TrainingPod::created).thenComparing(TrainingPod::uid);

  private PodSelection() {}

  /** Those that are followed: of pods that have not ended the oldest, of others the newest. */
  static Collection<TrainingPod> of(Collection<TrainingPod> pods) {
    if (pods.size() <= FINISHED_OF_NAMESPACE) {
      return pods;
    }
    List<TrainingPod> chosen =
        new ArrayList<>(
            pods.stream().filter(p -> !p.finished()).sorted(OLDEST_FIRST).limit(LIVE).toList());
    Map<String, Integer> byNamespace = new HashMap<>();
    pods.stream()
        .filter(TrainingPod::finished)
        .sorted(OLDEST_FIRST.reversed())
        .filter(p -> byNamespace.merge(p.namespace(), 1, Integer::sum) <= FINISHED_OF_NAMESPACE)
        .limit(FINISHED)
        .forEach(chosen::add);
    return chosen;
  }
}
