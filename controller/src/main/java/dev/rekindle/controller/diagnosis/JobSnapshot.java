package dev.rekindle.controller.diagnosis;

import dev.rekindle.controller.model.FaultView;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.RankView;
import dev.rekindle.controller.model.RecoveryView;
import java.util.List;
import java.util.Map;

/**
 * Everything a verdict on one job depends on, at one moment.
 *
 * @param job the job
 * @param pods pods of exactly this job (by UID), of any generation
 * @param nodes the nodes that its pods are bound to, by name; a missing one no longer exists
 * @param faults faults on those nodes
 * @param ranks rank reports of those pods
 * @param recoveries recoveries of this job UID, ended ones too
 */
public record JobSnapshot(
    JobView job,
    List<PodView> pods,
    Map<String, NodeView> nodes,
    List<FaultView> faults,
    List<RankView> ranks,
    List<RecoveryView> recoveries) {
  public JobSnapshot {
    pods = List.copyOf(pods);
    nodes = Map.copyOf(nodes);
    faults = List.copyOf(faults);
    ranks = List.copyOf(ranks);
    recoveries = List.copyOf(recoveries);
  }
}
