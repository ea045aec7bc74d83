package dev.rekindle.controller.network;

import dev.rekindle.controller.network.NetworkProblem.Kind;
import java.util.List;
import java.util.Optional;

/**
 * The NICs that a new pod of a template gets, from its annotations, those of its namespace and
 * Spiderpool's objects; the order of precedence is that of Spiderpool 1.2 ({@code
 * pool_selections.go}, {@code podmanager/utils.go}).
 *
 * @param nics its NICs as far as Spiderpool answers for them
 * @param problems what will not work
 */
public record RequestedNetworks(List<Nic> nics, List<NetworkProblem> problems) {
  /** None. */
  public static final RequestedNetworks NONE = new RequestedNetworks(List.of(), List.of());

  public RequestedNetworks {
    nics = List.copyOf(nics);
    problems = List.copyOf(problems);
  }

  /** RDMA resources that Spiderpool adds to the pod, one of each. */
  public List<String> injectedResources() {
    return nics.stream()
        .filter(n -> n.injected() && !n.resource().isEmpty())
        .map(Nic::resource)
        .distinct()
        .toList();
  }

  /** The first problem of that kind. */
  public Optional<NetworkProblem> problem(Kind kind) {
    return problems.stream().filter(p -> p.kind() == kind).findFirst();
  }

  /** What a pod of that namespace gets. */
  public static RequestedNetworks of(String namespace, NetworkWish wish, ClusterNetworks cluster) {
    return cluster.installed() ? new NetworkResolver(namespace, wish, cluster).resolve() : NONE;
  }
}
