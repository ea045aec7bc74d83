package dev.rekindle.controller.placement;

import dev.rekindle.controller.model.Amounts;
import dev.rekindle.controller.model.JobView.Replica;
import dev.rekindle.controller.model.NodeView;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.TreeSet;

/**
 * Nodes that a gang which is created again had better not crowd on: the scheduler counts GPUs and
 * devices and not of pools, and a pod that is bound to a node without an address for it stays
 * there. Pods of several sizes that share a pool are counted each by themselves, so a pool may
 * still be too small for all; the next attempt is planned by what is left then.
 */
public final class AddressRoom {
  private AddressRoom() {}

  /**
   * The nodes that others are to be preferred to, sorted; none where no pool is short.
   *
   * @param gang its replica types
   * @param nodes all nodes
   * @param excluded nodes that it must avoid
   * @param kept nodes that it was on before, which are wanted first
   * @param taken GPUs that others hold, by node
   * @param held all resources that they hold, by node
   * @param demand what its pods ask of networks
   */
  public static List<String> crowded(
      List<Replica> gang,
      Collection<NodeView> nodes,
      Collection<String> excluded,
      Collection<String> kept,
      Map<String, Long> taken,
      Map<String, Amounts> held,
      NetworkDemand demand) {
    if (!demand.networks().installed()) {
      return List.of();
    }
    List<NodeView> wanted =
        Placement.eligible(nodes, excluded).stream()
            .sorted(
                Comparator.comparing((NodeView n) -> !kept.contains(n.name()))
                    .thenComparing(NodeView::name))
            .toList();
    int pods = gang.stream().mapToInt(Replica::count).sum();
    TreeSet<String> crowded = new TreeSet<>();
    for (Replica replica : UnlistedResources.of(gang, nodes).without(gang)) {
      Rails rails = Rails.of(replica, demand, new AddressLedger(demand.leaving()));
      SequencedMap<NodeView, Long> places = new LinkedHashMap<>();
      for (NodeView node : wanted) {
        long most =
            NodeFit.places(
                node,
                rails.replica(),
                taken.getOrDefault(node.name(), 0L),
                held.getOrDefault(node.name(), Amounts.NONE));
        if (most > 0 && NodeFit.keptOff(node, replica).isEmpty()) {
          places.put(node, most);
        }
      }
      crowded.addAll(rails.beyond(places, pods));
    }
    return List.copyOf(crowded);
  }
}
