package dev.rekindle.simulator.world;

import dev.rekindle.simulator.api.ApiServer;
import dev.rekindle.simulator.api.Collection;

/** The collections that the API server of every simulated cluster serves. */
record ClusterObjects(
    Collection<JobObject> jobs,
    Collection<PodObject> pods,
    Collection<NodeObject> nodes,
    Collection<FaultObject> faults,
    Collection<RankObject> ranks,
    Collection<RecoveryObject> recoveries,
    Collection<OrderObject> orders,
    Collection<RestartObject> restarts,
    Collection<InspectorObject> inspectors,
    Collection<SpareObject> spares,
    Collection<LeaseObject> leases,
    Collection<ConfigMapObject> configMaps,
    Collection<PolicyObject> policies) {

  /** Installs each resource in an API server. */
  static ClusterObjects installedIn(ApiServer api) {
    return new ClusterObjects(
        api.install("pytorchjobs"),
        api.install(PodObject.KIND),
        api.install("nodes"),
        api.install("nodefaults"),
        api.install("rankreports"),
        api.install("recoveries"),
        api.install("restartorders"),
        api.install("restartreports"),
        api.install("jobs"),
        api.install(SpareObject.KIND),
        api.install("leases"),
        api.install("configmaps"),
        api.install("recoverypolicies"));
  }
}
