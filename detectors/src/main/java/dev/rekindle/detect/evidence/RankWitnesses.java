package dev.rekindle.detect.evidence;

import dev.rekindle.api.RankReportStatus.Witnesses;
import dev.rekindle.detect.pod.TrainingPod;
import java.util.Optional;
import java.util.Set;

/** What the ranks of a pod that trains would show if it hung. */
public interface RankWitnesses {
  /** Inspects nothing. */
  RankWitnesses NONE =
      new RankWitnesses() {
        @Override
        public Optional<Witnesses> of(TrainingPod pod, boolean steps) {
          return Optional.empty();
        }

        @Override
        public void retain(Set<String> podUids) {}
      };

  /**
   * What was found last in the container that the pod has now; never waits. The call may begin to
   * inspection.
   *
   * @param steps whether the container has shown a step
   * @return empty where nothing was found yet
   */
  Optional<Witnesses> of(TrainingPod pod, boolean steps);

  /** Forgets all other pods. */
  void retain(Set<String> podUids);
}
