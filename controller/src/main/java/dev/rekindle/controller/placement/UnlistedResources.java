package dev.rekindle.controller.placement;

import dev.rekindle.controller.model.Amounts;
import dev.rekindle.controller.model.JobView.Replica;
import dev.rekindle.controller.model.NodeView;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Extended resources that pods request and no node lists in its {@code allocatable}. No kubelet
 * counts them: a scheduler extender does, as for HAMi's {@code nvidia.com/gpumem}, or nothing. They
 * are no reason to hold a gang. A resource that a node lists with an amount of 0 is listed.
 */
final class UnlistedResources {
  private static final int MOST_NAMED = 4;

  private final Set<String> names;

  private UnlistedResources(Set<String> names) {
    this.names = names;
  }

  /**
   * Those that pods of the gang request. None where no node says what it offers.
   *
   * @param nodes all nodes, also those that the gang must avoid
   */
  static UnlistedResources of(Collection<Replica> gang, Collection<NodeView> nodes) {
    Set<String> names = new TreeSet<>();
    if (nodes.stream().anyMatch(n -> !n.room().allocatable().isEmpty())) {
      for (Replica replica : gang) {
        replica.needs().requests().values().keySet().stream()
            .filter(name -> isExtended(name) && nodes.stream().noneMatch(n -> n.room().lists(name)))
            .forEach(names::add);
      }
    }
    return new UnlistedResources(names);
  }

  /** The others are listed by every kubelet, and so is a page size that a node has. */
  private static boolean isExtended(String resource) {
    return resource.indexOf('/') >= 0;
  }

  /** The replica type without its requests for them. */
  Replica without(Replica replica) {
    TreeMap<String, Long> left = new TreeMap<>(replica.needs().requests().values());
    return left.keySet().removeAll(names)
        ? replica.withNeeds(replica.needs().withRequests(Amounts.of(left)))
        : replica;
  }

  /** The same of each replica type. */
  List<Replica> without(Collection<Replica> gang) {
    return gang.stream().map(this::without).toList();
  }

  /** That they were not counted, for people; empty where there are none. */
  String note() {
    return names.isEmpty()
        ? ""
        : "; not counted, as no node lists it: %s%s"
            .formatted(
                names.stream().limit(MOST_NAMED).collect(Collectors.joining(", ")),
                names.size() > MOST_NAMED ? ", ..." : "");
  }
}
