package dev.rekindle.controller.placement;

import dev.rekindle.controller.model.Amounts;
import dev.rekindle.controller.model.BoundVolume;
import dev.rekindle.controller.model.JobView.Replica;
import dev.rekindle.controller.model.NodeView;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The node that is left to the master of a gang that is created again, where so few reach its
 * volumes that other pods of the gang might fill them: the scheduler places pods one after the
 * other, and a worker may come first. Pure.
 */
public final class MasterSeat {
  private MasterSeat() {}

  /**
   * Its name; empty where no node has to be left to the master.
   *
   * @param gang its replica types
   * @param nodes all nodes
   * @param excluded nodes that it must avoid
   * @param avoided nodes that are better left alone
   * @param kept nodes that it was on before, which are wanted first
   * @param taken GPUs that others hold, by node
   * @param held all resources that they hold, by node
   */
  public static Optional<String> of(
      List<Replica> gang,
      Collection<NodeView> nodes,
      Collection<String> excluded,
      Collection<String> avoided,
      Collection<String> kept,
      Map<String, Long> taken,
      Map<String, Amounts> held) {
    Optional<Replica> master =
        gang.stream().filter(r -> r.type().equals(Replica.MASTER) && r.count() > 0).findFirst();
    if (master.isEmpty() || master.get().needs().volumes().isEmpty()) {
      return Optional.empty();
    }
    Set<BoundVolume> volumes = Set.copyOf(master.get().needs().volumes());
    long others =
        gang.stream()
            .filter(r -> !r.equals(master.get()))
            // Those with the same volumes have nowhere else to go.
            .filter(r -> !Set.copyOf(r.needs().volumes()).containsAll(volumes))
            .mapToLong(Replica::count)
            .sum();
    Replica bare = UnlistedResources.of(gang, nodes).without(master.get());
    List<NodeView> seats =
        Placement.eligible(nodes, excluded).stream()
            .filter(node -> NodeFit.keptOff(node, bare).isEmpty())
            .filter(
                node ->
                    NodeFit.places(
                            node,
                            bare,
                            taken.getOrDefault(node.name(), 0L),
                            held.getOrDefault(node.name(), Amounts.NONE))
                        > 0)
            .toList();
    return seats.size() > others
        ? Optional.empty()
        : seats.stream()
            .min(
                Comparator.comparing((NodeView n) -> avoided.contains(n.name()))
                    .thenComparing(n -> !kept.contains(n.name()))
                    .thenComparing(NodeView::name))
            .map(NodeView::name);
  }
}
