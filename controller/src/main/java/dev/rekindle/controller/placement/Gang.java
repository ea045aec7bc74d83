package dev.rekindle.controller.placement;

import dev.rekindle.controller.model.Amounts;
import dev.rekindle.controller.model.FaultView;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.network.ClusterNetworks;
import java.util.Collection;
import java.util.List;
import java.util.Map;

/**
 * What a placement is planned from, at one moment.
 *
 * @param job the job
 * @param pods its pods
 * @param leaving names of the nodes whose pods are replaced
 * @param nodes all nodes by name
 * @param faults faults of nodes, as far as they are known
 * @param gpus GPUs by node that live pods of other jobs hold
 * @param taken all that they hold
 * @param avoided nodes that are better left alone
 * @param networks what Spiderpool offers
 * @param spares the warm spares of this job, and the room of others'
 */
public record Gang(
    JobView job,
    List<PodView> pods,
    Collection<String> leaving,
    Map<String, NodeView> nodes,
    Collection<FaultView> faults,
    Map<String, Long> gpus,
    Map<String, Amounts> taken,
    Collection<String> avoided,
    ClusterNetworks networks,
    SpareRoom spares) {
  /** One in a cluster without Spiderpool, too. */
  public Gang(
      JobView job,
      List<PodView> pods,
      Collection<String> leaving,
      Map<String, NodeView> nodes,
      Collection<FaultView> faults,
      Map<String, Long> gpus,
      Map<String, Amounts> taken,
      Collection<String> avoided) {
    this(
        job,
        pods,
        leaving,
        nodes,
        faults,
        gpus,
        taken,
        avoided,
        ClusterNetworks.NONE,
        SpareRoom.NONE);
  }

  /** The same with other spares. */
  Gang withSpares(SpareRoom others) {
    return new Gang(job, pods, leaving, nodes, faults, gpus, taken, avoided, networks, others);
  }
}
