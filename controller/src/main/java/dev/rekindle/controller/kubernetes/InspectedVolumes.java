package dev.rekindle.controller.kubernetes;

import dev.rekindle.controller.checkpoint.CheckpointReach;
import dev.rekindle.controller.model.Inspection;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.port.ClusterState;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The volumes of recoveries' checkpoints that not all nodes reach alike. */
public final class InspectedVolumes {
  private final ClusterState state;
  private final UnfitNodes unfit;
  private final Map<String, CheckpointReach.Volume> bound = new ConcurrentHashMap<>();

  /**
   * @param state the nodes
   * @param unfit the nodes that no inspector goes to
   */
  public InspectedVolumes(ClusterState state, UnfitNodes unfit) {
    this.state = state;
    this.unfit = unfit;
  }

  /** The checkpoints of a recovery are on this volume; absent where all nodes reach them. */
  public void bind(JobKey key, String recovery, Optional<CheckpointReach.Volume> volume) {
    String id = key.namespace() + "/" + recovery;
    volume.ifPresentOrElse(v -> bound.put(id, v), () -> bound.remove(id));
  }

  /** Why the volume of a recovery's checkpoints cannot be inspected now; empty where it can. */
  public Optional<Inspection.Unable> away(JobKey key, String recovery) {
    CheckpointReach.Volume volume = bound.get(key.namespace() + "/" + recovery);
    if (volume == null) {
      return Optional.empty();
    }
    return switch (CheckpointReach.of(volume, state.nodes(), Set.copyOf(unfit.of(key, recovery)))) {
      case CheckpointReach.Within _ -> Optional.empty();
      case CheckpointReach.Away(String reason) -> Optional.of(new Inspection.Unable(reason, true));
    };
  }

  /**
   * What an inspector has said so far; that no node with the volume can be used where it has not
   * reported: its node may have gone after its pod was started, and its log with it.
   */
  public Inspection orAway(JobKey key, String recovery, Inspection said) {
    return said instanceof Inspection.Report
        ? said
        : away(key, recovery).map(Inspection.class::cast).orElse(said);
  }

  /** The recovery is inspected no more. */
  public void forget(JobKey key, String recovery) {
    bound.remove(key.namespace() + "/" + recovery);
  }
}
