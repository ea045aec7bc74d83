package dev.rekindle.controller.port;

import dev.rekindle.api.Scorecard;
import dev.rekindle.controller.model.AscendView;
import dev.rekindle.controller.model.DraView;
import dev.rekindle.controller.model.FaultView;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.NodeUse;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.OrderView;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.model.QueueView;
import dev.rekindle.controller.model.RankView;
import dev.rekindle.controller.model.RecoveryView;
import dev.rekindle.controller.model.RestartView;
import dev.rekindle.controller.model.SpareView;
import dev.rekindle.controller.network.ClusterNetworks;
import dev.rekindle.controller.network.EndpointView;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The read side: flat views as the watches last showed them. A read never calls the API server. */
public interface ClusterState {
  /** The job, if it exists; one that Kueue admits as it is by its Workload. */
  Optional<JobView> job(JobKey key);

  /** Pods that carry the job's name in their label, of any generation and any job UID. */
  List<PodView> pods(JobKey key);

  /** Pods of training jobs that are bound to the node, of any job and generation. */
  List<PodView> podsOn(String node);

  /**
   * What live pods of training jobs hold, by node; where none is, a node is left out. The same
   * object until a pod changes.
   */
  Map<String, NodeUse> used();

  /** Warm spares that name the job as their owner, of any job UID. */
  List<SpareView> spares(JobKey key);

  /** All warm spares. */
  List<SpareView> spares();

  /** The node, if it exists. */
  Optional<NodeView> node(String name);

  /** All nodes. */
  List<NodeView> nodes();

  /** Faults of a node, cleared ones too. */
  List<FaultView> faults(String node);

  /** The ResourceSlices of the node, and the taints of its devices. */
  DraView dra(String node);

  /** What MindCluster reports of the node's Ascend devices; empty where it is not installed. */
  List<AscendView> ascend(String node);

  /** Names of the nodes that have faults, cleared ones too; in order. */
  List<String> nodesWithFaults();

  /** Faults of that code, on any node, cleared ones too, and some that were deleted lately. */
  List<FaultView> faultsOfCode(String code);

  /** How many faults of the node are more than are taken in of one node; they count for nothing. */
  int faultsLeftOut(String node);

  /**
   * Whether the job that an incident of the node names may have had a pod there then, for all that
   * is known.
   */
  boolean knowsVictim(String node, FaultView.Incident incident);

  /** Rank reports of a job, of any generation. */
  List<RankView> ranks(JobKey key);

  /** Recoveries of a job, ended ones too. */
  List<RecoveryView> recoveries(JobKey key);

  /** All recoveries, ended ones too. */
  List<RecoveryView> recoveries();

  /** Recoveries of a namespace, of all jobs, also of those that are gone. */
  List<RecoveryView> recoveriesIn(String namespace);

  /** The recovery of that name, ended or not. */
  Optional<RecoveryView> recovery(String namespace, String name);

  /** Orders to restart the job's gang in place, of any recovery. */
  List<OrderView> orders(JobKey key);

  /** What agents report on such orders, of any recovery. */
  List<RestartView> restarts(JobKey key);

  /** ClusterQueues of Kueue; none where it is not installed. */
  List<QueueView> queues();

  /** What Spiderpool offers; nothing where it is not installed. */
  ClusterNetworks networks();

  /** The addresses that Spiderpool says the pod of that name has; compare the UID. */
  Optional<EndpointView> endpoint(String namespace, String pod);

  /** Names of all policies. */
  List<String> policies();

  /** What the policy of that name would have done, as far as it is written down. */
  Scorecard scorecard(String policy);

  /** The policy of that name, if there is one. */
  Optional<Policy> policy(String name);
}
