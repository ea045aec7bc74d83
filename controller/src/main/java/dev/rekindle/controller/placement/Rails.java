package dev.rekindle.controller.placement;

import dev.rekindle.controller.model.Amounts;
import dev.rekindle.controller.model.JobView.Replica;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.network.LabelRule;
import dev.rekindle.controller.network.NetworkProblem;
import dev.rekindle.controller.network.NetworkProblem.Kind;
import dev.rekindle.controller.network.Nic;
import dev.rekindle.controller.network.PoolView;
import dev.rekindle.controller.network.RequestedNetworks;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The NICs of the pods of a replica type, and where there are addresses and devices for them. The
 * result is an upper bound: what cannot be read of a pool excludes no node.
 */
final class Rails {
  private static final int MOST_NAMED = 3;

  private final Replica replica;
  private final List<Nic> nics;
  private final List<Rail> rails;
  private final String blocked;
  private final NetworkDemand demand;
  private final AddressLedger ledger;

  /** One address of a NIC, and the pools that it may come from, by the nodes that they are for. */
  private record Rail(
      Nic nic,
      List<String> wanted,
      Map<String, List<PoolView>> byNode,
      Map<LabelRule, List<PoolView>> byLabels) {
    /** Those that are for the fewest nodes first, as Spiderpool takes them. */
    List<PoolView> fitting(NodeView node) {
      List<PoolView> fitting = new ArrayList<>(byNode.getOrDefault(node.name(), List.of()));
      byLabels.forEach(
          (rule, pools) -> {
            if (rule.holds(node.labels())) {
              fitting.addAll(pools);
            }
          });
      fitting.sort(
          Comparator.comparing((PoolView p) -> p.nodeNames().isEmpty())
              .thenComparing(p -> p.nodeAffinity().isAny())
              .thenComparing(PoolView::name));
      return fitting;
    }
  }

  private Rails(Rails other, AddressLedger ledger) {
    this.replica = other.replica;
    this.nics = other.nics;
    this.rails = other.rails;
    this.blocked = other.blocked;
    this.demand = other.demand;
    this.ledger = ledger;
  }

  private Rails(
      Replica replica, RequestedNetworks asked, NetworkDemand demand, AddressLedger ledger) {
    Map<String, PoolView> pools =
        demand.networks().pools().stream()
            .collect(Collectors.toMap(PoolView::name, Function.identity(), (a, _) -> a));
    this.nics = asked.nics();
    this.rails = new ArrayList<>();
    for (Nic nic : nics) {
      for (Nic.Family family : nic.families()) {
        rails.add(
            rail(
                nic,
                family.wanted(),
                family.pools().stream().map(pools::get).filter(Objects::nonNull).toList()));
      }
    }
    this.replica = withDevices(replica, asked);
    this.blocked = asked.problem(Kind.UNKNOWN_GROUP).map(NetworkProblem::detail).orElse("");
    this.demand = demand;
    this.ledger = ledger;
  }

  /** Those of the pods of a replica type. */
  static Rails of(Replica replica, NetworkDemand demand, AddressLedger ledger) {
    RequestedNetworks asked =
        RequestedNetworks.of(demand.namespace(), replica.needs().networks(), demand.networks());
    return new Rails(replica, asked, demand, ledger);
  }

  private static Rail rail(Nic nic, List<String> wanted, List<PoolView> pools) {
    Map<String, List<PoolView>> byNode = new HashMap<>();
    Map<LabelRule, List<PoolView>> byLabels = new HashMap<>();
    for (PoolView pool : pools) {
      if (pool.nodeNames().isEmpty()) {
        byLabels.computeIfAbsent(pool.nodeAffinity(), _ -> new ArrayList<>()).add(pool);
      }
      pool.nodeNames().forEach(n -> byNode.computeIfAbsent(n, _ -> new ArrayList<>()).add(pool));
    }
    return new Rail(nic, wanted, byNode, byLabels);
  }

  /** What a container requests already keeps its amount. */
  private static Replica withDevices(Replica replica, RequestedNetworks asked) {
    Map<String, Long> devices = new HashMap<>();
    asked.injectedResources().stream()
        .filter(r -> replica.needs().requests().get(r) == 0)
        .forEach(r -> devices.put(r, 1L));
    return devices.isEmpty()
        ? replica
        : new Replica(
            replica.type(),
            replica.count(),
            replica.restart(),
            replica.gpus(),
            replica.needs().withRequests(replica.needs().requests().plus(Amounts.of(devices))));
  }

  /** The same, to try what addresses suffice for. */
  Rails copy() {
    return new Rails(this, ledger.copy());
  }

  /** The replica type with the devices that Spiderpool adds to its pods. */
  Replica replica() {
    return replica;
  }

  /** Why no such pod can be made anywhere; empty where one can. */
  String blocked() {
    return blocked;
  }

  /** A resource with the NIC that it is the device of. */
  String title(String resource) {
    return nics.stream()
        .filter(n -> n.resource().equals(resource))
        .findFirst()
        .map(n -> resource + " for " + n.title())
        .orElse(resource);
  }

  /** Why there are no addresses on the node for even one pod; empty where there are. */
  String keptOff(NodeView node) {
    for (Rail rail : rails) {
      List<PoolView> fitting = rail.fitting(node);
      if (fitting.isEmpty()) {
        return "no pool of %s is for the node (%s)"
            .formatted(rail.nic().title(), named(rail.wanted()));
      }
      if (ledger.left(fitting) <= 0) {
        return noAddress(rail, fitting);
      }
    }
    return "";
  }

  private String noAddress(Rail rail, List<PoolView> pools) {
    long leaked = pools.stream().mapToLong(demand::leaked).sum();
    return "no address left for %s in pool %s%s"
        .formatted(
            rail.nic().title(),
            named(pools.stream().map(PoolView::name).toList()),
            leaked == 0
                ? ""
                : ", which still has %d of pods of the job that are gone".formatted(leaked));
  }

  private static String named(List<String> names) {
    String first = names.stream().limit(MOST_NAMED).collect(Collectors.joining(", "));
    return names.size() > MOST_NAMED ? first + ", ..." : first;
  }

  /** How many pods find addresses on the node, at most. */
  long places(NodeView node) {
    return rails.stream()
        .mapToLong(rail -> ledger.left(rail.fitting(node)))
        .min()
        .orElse(AddressLedger.ENOUGH);
  }

  /** Gives a pod on the node its addresses; false, and gives none, where one is missing. */
  boolean allot(NodeView node) {
    List<PoolView> taken = new ArrayList<>();
    for (Rail rail : rails) {
      Optional<PoolView> open =
          rail.fitting(node).stream().filter(p -> ledger.left(p) > 0).findFirst();
      if (open.isEmpty()) {
        return false;
      }
      taken.add(open.get());
    }
    taken.forEach(ledger::take);
    return true;
  }

  /**
   * Nodes that share a pool with fewer addresses than there are pods, all but the first for which
   * these suffice.
   *
   * @param places how many pods each node can take otherwise, in the order in which nodes are
   *     wanted
   * @param pods how many there are
   */
  Set<String> beyond(SequencedMap<NodeView, Long> places, int pods) {
    Set<String> beyond = new TreeSet<>();
    for (Rail rail : rails) {
      Map<Set<String>, Long> left = new HashMap<>();
      places.forEach(
          (node, most) -> {
            List<PoolView> fitting = rail.fitting(node);
            Set<String> names =
                fitting.stream().map(PoolView::name).collect(Collectors.toUnmodifiableSet());
            if (ledger.left(fitting) < pods) {
              long free = left.getOrDefault(names, ledger.left(fitting));
              if (free <= 0) {
                beyond.add(node.name());
              }
              left.put(names, free - most);
            }
          });
    }
    return beyond;
  }

  /**
   * The pods of one size, of one replica type or more.
   *
   * @param pods how many
   * @param places how many of them each node can take otherwise
   */
  record Share(Rails rails, int pods, Map<NodeView, Long> places) {}

  /**
   * Why a gang does not find addresses, though each node has some; empty where it does. Pools that
   * one node may take from both count together, so it is an upper bound. Pods of different sizes
   * that name the same pools take from the same.
   */
  static String shortFor(List<Share> shares) {
    for (Share share : shares) {
      for (Rail rail : share.rails().rails) {
        PoolGroups groups = new PoolGroups();
        int pods = 0;
        for (Share other : shares) {
          Optional<Rail> same =
              other.rails().rails.stream()
                  .filter(r -> r.wanted().equals(rail.wanted()))
                  .findFirst();
          if (same.isPresent()) {
            other.places().forEach((node, most) -> groups.add(same.get().fitting(node), most));
            pods += other.pods();
          }
        }
        long found = groups.most(share.rails().ledger);
        if (found < pods) {
          return "%s needed for %s, %d free in pool %s on nodes that fit"
              .formatted(
                  pods == 1 ? "1 address" : pods + " addresses",
                  rail.nic().title(),
                  found,
                  named(groups.pools()));
        }
      }
    }
    return "";
  }
}
