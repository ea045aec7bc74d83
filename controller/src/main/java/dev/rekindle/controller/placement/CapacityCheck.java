package dev.rekindle.controller.placement;

import dev.rekindle.controller.model.Amounts;
import dev.rekindle.controller.model.JobView.Replica;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.PodNeeds;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * OccupiedNode for a whole gang at once. An upper bound, so that nothing is held that the scheduler
 * could place: only GPUs count, and of what occupies them only the pods of training jobs that the
 * controller watches. What no node lists is not counted. A node that does not reach a volume of a
 * pod is none for it. The scheduler has the last word.
 */
public final class CapacityCheck {

  /** Pods of the rarer of two sizes; as a rule it is the one master. */
  private static final int MOST_RARE = 4_096;

  private CapacityCheck() {}

  /**
   * What is missing for the gang to be placed, in words for people; empty when it may fit.
   *
   * @param gang its replica types; the operator has two
   * @param nodes all nodes
   * @param excluded nodes that it must avoid
   * @param taken GPUs that others hold, by node
   * @param held all resources that they hold, by node
   */
  public static Optional<String> missing(
      List<Replica> gang,
      Collection<NodeView> nodes,
      Collection<String> excluded,
      Map<String, Long> taken,
      Map<String, Amounts> held) {
    return missing(gang, nodes, excluded, taken, held, NetworkDemand.NONE);
  }

  /**
   * The same of a gang that needs addresses and RDMA devices as well.
   *
   * @param demand what its pods ask of networks
   */
  public static Optional<String> missing(
      List<Replica> gang,
      Collection<NodeView> nodes,
      Collection<String> excluded,
      Map<String, Long> taken,
      Map<String, Amounts> held,
      NetworkDemand demand) {
    List<NodeView> eligible = Placement.eligible(nodes, excluded);
    AddressLedger ledger = new AddressLedger(demand.leaving());
    UnlistedResources unlisted = UnlistedResources.of(gang, nodes);
    Map<PodSize, Integer> podsBySize = new LinkedHashMap<>();
    for (Replica replica : unlisted.without(gang)) {
      Rails rails = Rails.of(replica, demand, ledger);
      if (!rails.blocked().isEmpty()) {
        return Optional.of("the pods cannot be made: " + rails.blocked());
      }
      if (replica.count() > 0) {
        podsBySize.merge(
            new PodSize(replica.gpus(), rails.replica().needs(), rails),
            replica.count(),
            (one, other) -> (int) Math.min((long) one + other, Integer.MAX_VALUE));
      }
    }
    if (podsBySize.keySet().stream()
        .allMatch(size -> size.replica().gpus() == 0 && size.needs().equals(PodNeeds.NONE))) {
      return eligible.isEmpty()
          ? Optional.of(
              "no node is Ready, schedulable and not excluded"
                  + CapacityShortage.leftOut(nodes, excluded))
          : Optional.empty();
    }
    List<OccupiedNode> rooms =
        eligible.stream()
            .map(
                n ->
                    new OccupiedNode(
                        n,
                        taken.getOrDefault(n.name(), 0L),
                        held.getOrDefault(n.name(), Amounts.NONE)))
            .toList();
    if (fits(podsBySize, rooms)) {
      return addresses(podsBySize, rooms);
    }
    return Optional.of(
        CapacityShortage.describe(podsBySize, rooms, nodes, excluded)
            + (fits(withoutVolumes(podsBySize), rooms)
                ? VolumeShortage.describe(podsBySize.keySet(), rooms, nodes, excluded)
                : "")
            + unlisted.note());
  }

  private static Map<PodSize, Integer> withoutVolumes(Map<PodSize, Integer> podsBySize) {
    Map<PodSize, Integer> sizes = new LinkedHashMap<>();
    podsBySize.forEach(
        (size, pods) ->
            sizes.merge(
                size.withoutVolumes(),
                pods,
                (one, other) -> (int) Math.min((long) one + other, Integer.MAX_VALUE)));
    return sizes;
  }

  /** Each node may have an address, and all of them too few for the whole gang. */
  private static Optional<String> addresses(
      Map<PodSize, Integer> podsBySize, List<OccupiedNode> rooms) {
    List<Rails.Share> shares = new ArrayList<>();
    podsBySize.forEach(
        (size, pods) -> {
          Map<NodeView, Long> places = new LinkedHashMap<>();
          rooms.forEach(room -> places.put(room.node(), room.places(size, 0, size)));
          places.values().removeIf(most -> most == 0);
          shares.add(new Rails.Share(size.rails(), pods, places));
        });
    return Optional.of(Rails.shortFor(shares)).filter(missing -> !missing.isEmpty());
  }

  private static boolean fitsAlone(Map.Entry<PodSize, Integer> size, List<OccupiedNode> rooms) {
    long left = size.getValue();
    for (OccupiedNode room : rooms) {
      left -= Math.clamp(room.places(size.getKey(), 0, size.getKey()), 0, left);
    }
    return left == 0;
  }

  /**
   * Whether pods of at most two sizes fit. For each number of the rarer ones: how many of the
   * others fit beside them at best on the nodes checked so far. The numbers are a tenant's: of more
   * of the rarer than a gang ever has, each size is only counted by itself.
   */
  private static boolean fits(Map<PodSize, Integer> podsBySize, List<OccupiedNode> rooms) {
    List<Map.Entry<PodSize, Integer>> sizes =
        podsBySize.entrySet().stream().sorted(Map.Entry.comparingByValue()).toList();
    Map.Entry<PodSize, Integer> often = sizes.getLast();
    PodSize rarer = sizes.getFirst().getKey();
    int rare = sizes.size() == 1 ? 0 : sizes.getFirst().getValue();
    if (podsBySize.entrySet().stream().anyMatch(size -> !fitsAlone(size, rooms))) {
      return false;
    }
    if (rare > MOST_RARE) {
      return true;
    }
    long[] best = new long[rare + 1];
    Arrays.fill(best, -1);
    best[0] = 0;
    for (OccupiedNode room : rooms) {
      long rareHere = rare == 0 ? 0 : Math.min(rare, room.places(rarer, 0, rarer));
      for (int placed = rare; placed >= 0; placed--) {
        long most = -1;
        for (int here = 0; here <= Math.min(placed, rareHere); here++) {
          if (best[placed - here] >= 0) {
            long beside = room.places(often.getKey(), here, rarer);
            most = Math.max(most, best[placed - here] + beside);
          }
        }
        best[placed] = most;
      }
    }
    return best[rare] >= often.getValue();
  }
}
