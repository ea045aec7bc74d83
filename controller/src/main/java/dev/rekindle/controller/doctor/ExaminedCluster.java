package dev.rekindle.controller.doctor;

import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.network.Installation;
import java.util.List;
import java.util.Optional;

/**
 * A cluster as its API objects show it. What could not be read is an empty {@link Optional}, and is
 * not taken for missing.
 *
 * @param crds what is wrong with the CRDs of Rekindle; empty where nothing is
 * @param controller the controller that leads
 * @param policiesRead whether policies could be read
 * @param policy the policy {@code default}; empty where there is no usable one
 * @param operators training operators, by their Deployments
 * @param webhooks webhooks that the API server calls for each write of a PyTorchJob
 * @param nodes all nodes
 * @param kueue version of Kueue's API; empty where it is not installed
 * @param spiderpool what gives pods their NICs; none where it is not installed
 * @param jobs the opted-in jobs, each examined
 * @param more opted-in jobs beyond those that are examined
 */
public record ExaminedCluster(
    String crds,
    Optional<Leader> controller,
    boolean policiesRead,
    Optional<Policy> policy,
    Optional<List<Operator>> operators,
    Optional<List<Webhook>> webhooks,
    Optional<List<NodeView>> nodes,
    String kueue,
    Installation spiderpool,
    List<ExaminedJob> jobs,
    int more) {
  public ExaminedCluster {
    operators = operators.map(List::copyOf);
    webhooks = webhooks.map(List::copyOf);
    nodes = nodes.map(List::copyOf);
    jobs = List.copyOf(jobs);
  }

  /**
   * The controller that leads.
   *
   * @param pod its pod, {@code namespace/name}; empty where none leads
   * @param fresh whether the lease was renewed lately
   * @param account its service account; empty where it is not known
   * @param denied what it may not do and has to, {@code patch nodes}; empty inside where it may do
   *     all
   */
  public record Leader(String pod, boolean fresh, String account, Optional<List<String>> denied) {
    public Leader {
      denied = denied.map(List::copyOf);
    }
  }

  /**
   * A training operator.
   *
   * @param name its Deployment, {@code namespace/name}
   * @param version tag of its image; empty where it has none
   * @param qps its argument {@code --kube-api-qps}; empty where it has none
   * @param ready Ready replicas
   */
  public record Operator(String name, String version, String qps, int ready) {}

  /**
   * A webhook for PyTorchJobs.
   *
   * @param name its configuration
   * @param refuses whether no PyTorchJob can be written while it does not answer
   * @param ready Ready endpoints behind it; empty where they are not known
   */
  public record Webhook(String name, boolean refuses, Optional<Integer> ready) {}
}
