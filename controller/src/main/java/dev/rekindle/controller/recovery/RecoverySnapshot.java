package dev.rekindle.controller.recovery;

import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RollBack;
import dev.rekindle.api.StallFinding;
import dev.rekindle.controller.model.Amounts;
import dev.rekindle.controller.model.FaultView;
import dev.rekindle.controller.model.Inspection;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.OrderView;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.QueueView;
import dev.rekindle.controller.model.RankView;
import dev.rekindle.controller.model.RecoveryView;
import dev.rekindle.controller.model.RestartView;
import dev.rekindle.controller.model.SpareView;
import dev.rekindle.controller.model.TrackerView;
import dev.rekindle.controller.network.ClusterNetworks;
import dev.rekindle.controller.network.EndpointView;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Everything the next step of one recovery depends on, at one moment.
 *
 * @param recovery the recovery, with a status
 * @param job the job, absent when it was deleted or replaced by another of its name
 * @param pods pods of exactly this job, of any generation
 * @param nodes all nodes by name
 * @param faults faults on the nodes of those pods and on the nodes that the cause blames; where
 *     nodes may be chosen, active ones on all other nodes as well
 * @param ranks rank reports of those pods
 * @param order what the agents were ordered for this attempt, absent when nothing was
 * @param reports what they have done about it
 * @param taken GPUs by node that live pods of other jobs hold; known only while nodes are to be
 *     chosen, or a gang without pods is resumed, or the gang of a stall is frozen, or one that has
 *     to be on RDMA is verified
 * @param held all resources by node that they hold, known when {@code taken} is
 * @param restarts restarts of the job within the window of its budget, by all of its recoveries,
 *     this one included
 * @param reached newest step that any rank was seen at since the recovery began: ranks may train on
 *     until they end; absent when none was seen
 * @param drainConfirmed whether the API server itself, not a cache, has just shown that no pod of
 *     the job exists
 * @param inspectorStarted whether the inspector was requested since this process leads
 * @param inspection what the inspector says
 * @param rollBacks courses of training that other recoveries of the job have given up on purpose
 * @param scanFloor a scan of at most this number may have begun before the drain was over; absent
 *     while the drain is not
 * @param printed whether another recovery of the job has seen a step of it: its script prints them
 * @param stallsBefore what other stalls of the job within the window of its budget have shown;
 *     known only while the gang of a stall is frozen or planned
 * @param failures what the API server has not carried out lately
 * @param history what the recoveries of the job before this one have come to, oldest first
 * @param queue the ClusterQueue of Kueue whose quota the job holds, or that is held for it; absent
 *     where there is none
 * @param networks what Spiderpool offers; known while the gang is drained, planned, resumed or
 *     verified
 * @param tracker what has come of rewriting the tracker of the checkpoints
 * @param spares warm spares: those of all jobs while {@code taken} is known, else those of this one
 * @param endpoints the addresses that Spiderpool says its pods have, by name of the pod; known
 *     while the gang is verified
 */
@RecordBuilder
public record RecoverySnapshot(
    RecoveryView recovery,
    @Nullable JobView job,
    List<PodView> pods,
    Map<String, NodeView> nodes,
    List<FaultView> faults,
    List<RankView> ranks,
    @Nullable OrderView order,
    List<RestartView> reports,
    Map<String, Long> taken,
    Map<String, Amounts> held,
    int restarts,
    @Nullable Long reached,
    boolean drainConfirmed,
    boolean inspectorStarted,
    Inspection inspection,
    List<RollBack> rollBacks,
    @Nullable Long scanFloor,
    boolean printed,
    List<StallFinding> stallsBefore,
    Failures failures,
    List<RecoveryStatus> history,
    @Nullable QueueView queue,
    ClusterNetworks networks,
    TrackerView tracker,
    List<SpareView> spares,
    Map<String, EndpointView> endpoints)
    implements RecoverySnapshotBuilder.With {
  public RecoverySnapshot {
    pods = List.copyOf(pods);
    nodes = Map.copyOf(nodes);
    faults = List.copyOf(faults);
    ranks = List.copyOf(ranks);
    reports = List.copyOf(reports);
    taken = Map.copyOf(taken);
    held = Map.copyOf(held);
    rollBacks = List.copyOf(rollBacks);
    stallsBefore = List.copyOf(stallsBefore);
    history = List.copyOf(history);
    spares = List.copyOf(spares);
    endpoints = Map.copyOf(endpoints);
  }

  /** The same with another status of the recovery. */
  RecoverySnapshot with(RecoveryStatus status) {
    return withRecovery(recovery.with(status));
  }
}
