package dev.rekindle.detect.restart;

import dev.rekindle.api.RankEvidence;
import dev.rekindle.detect.pod.TrainingPod;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Finds out what the ranks of a gang are doing before it is frozen. */
public interface GangWitnesses {
  /** Finds nothing, at once. */
  GangWitnesses NONE =
      new GangWitnesses() {
        @Override
        public Optional<List<RankEvidence>> of(String orderUid, TrainingPod pod) {
          return Optional.of(List.of());
        }

        @Override
        public List<RankEvidence> found(String orderUid, TrainingPod pod) {
          return List.of();
        }

        @Override
        public void retain(Set<String> orderUids) {}
      };

  /**
   * What the ranks of a pod are doing. The first call for an order begins to collect it; never
   * waits.
   *
   * @return empty while it is collected, at most for {@link RankEvidence#LIMIT}; then always the
   *     same
   */
  Optional<List<RankEvidence>> of(String orderUid, TrainingPod pod);

  /** What was found of the ranks of a pod; does not begin to collect. */
  List<RankEvidence> found(String orderUid, TrainingPod pod);

  /** How many more ranks a pod has than {@link #found} shows: there are too many of them. */
  default int leftOut(String orderUid, TrainingPod pod) {
    return 0;
  }

  /** Forgets what was found for all other orders. */
  void retain(Set<String> orderUids);
}
