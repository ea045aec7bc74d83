package dev.rekindle.controller.placement;

import dev.rekindle.controller.model.Amounts;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.JobView.Replica;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.PodNeeds;
import dev.rekindle.detect.node.Shortfall;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Room for a whole gang at once. An upper bound, so that nothing is held that the scheduler could
 * place: only GPUs count, and of what occupies them only the pods of training jobs that the
 * controller watches. What no node lists is not counted. The scheduler has the last word.
 */
public final class CapacityCheck {
  private static final int MOST_REASONS = 4;

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
    Map<Size, Integer> podsBySize = new LinkedHashMap<>();
    for (Replica replica : unlisted.without(gang)) {
      Rails rails = Rails.of(replica, demand, ledger);
      if (!rails.blocked().isEmpty()) {
        return Optional.of("the pods cannot be made: " + rails.blocked());
      }
      if (replica.count() > 0) {
        podsBySize.merge(
            new Size(replica.gpus(), rails.replica().needs(), rails),
            replica.count(),
            (one, other) -> (int) Math.min((long) one + other, Integer.MAX_VALUE));
      }
    }
    if (podsBySize.keySet().stream()
        .allMatch(size -> size.replica().gpus() == 0 && size.needs().equals(PodNeeds.NONE))) {
      return eligible.isEmpty()
          ? Optional.of("no node is Ready, schedulable and not excluded" + leftOut(nodes, excluded))
          : Optional.empty();
    }
    List<Room> rooms =
        eligible.stream()
            .map(
                n ->
                    new Room(
                        n,
                        taken.getOrDefault(n.name(), 0L),
                        held.getOrDefault(n.name(), Amounts.NONE)))
            .toList();
    if (fits(podsBySize, rooms)) {
      return addresses(podsBySize, rooms);
    }
    boolean ofGpus = podsBySize.keySet().stream().anyMatch(size -> size.gpus() > 0);
    List<NodeView> counted =
        ofGpus ? nodes.stream().filter(n -> n.gpus() > 0).toList() : List.copyOf(nodes);
    List<Long> free =
        rooms.stream().map(r -> r.node().gpus() - r.gpus()).filter(f -> f > 0).toList();
    long total = free.stream().mapToLong(Long::longValue).sum();
    long most = free.stream().mapToLong(Long::longValue).max().orElse(0);
    return Optional.of(
        "%s; free: %s on %s%s%s"
            .formatted(
                needed(podsBySize),
                count(total, "GPU"),
                count(free.size(), "node"),
                free.size() > 1 ? ", at most %d on one".formatted(most) : "",
                leftOut(counted, excluded)
                    + unfit(podsBySize.keySet(), rooms)
                    + heldBack(eligible)
                    + unlisted.note()));
  }

  /** Each node may have an address, and all of them too few for the whole gang. */
  private static Optional<String> addresses(Map<Size, Integer> podsBySize, List<Room> rooms) {
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

  /** What one pod requests: pods alike in that are counted together. */
  private record Size(long gpus, PodNeeds needs, Rails rails) {
    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Size size && size.gpus == gpus && size.needs.equals(needs);
    }

    @Override
    public int hashCode() {
      return Objects.hash(gpus, needs);
    }

    /** Whether the template keeps no such pod off the node. */
    boolean isMeantFor(NodeView node) {
      return NodeFit.keptOff(node, replica()).isEmpty();
    }

    Replica replica() {
      return new Replica("", 1, JobView.RestartPolicy.NEVER, gpus, needs);
    }
  }

  /** A node and what is taken of it. */
  private record Room(NodeView node, long gpus, Amounts held) {
    /** How many pods fit beside so many of another size. */
    long places(Size size, int others, Size other) {
      if (!NodeFit.keptOff(node, size.replica()).isEmpty()) {
        return 0;
      }
      long addresses = size.rails().places(node);
      long places =
          NodeFit.places(
              node,
              size.replica(),
              gpus + others * other.gpus(),
              others == 0 ? held : held.plus(other.needs().requests().times(others)));
      places = Math.min(places, addresses);
      return size.needs().onePerNode() ? Math.min(places, others > 0 ? 0 : 1) : places;
    }
  }

  /**
   * Of what stands in the way beside GPUs, the most frequent. Of each node what keeps those pods
   * off that it is meant for, where it is meant for any.
   */
  private static String unfit(Collection<Size> sizes, List<Room> rooms) {
    Map<String, Long> counts = new TreeMap<>();
    for (Room room : rooms) {
      sizes.stream()
          .sorted(Comparator.comparing(size -> !size.isMeantFor(room.node())))
          .map(size -> why(room, size))
          .filter(why -> !why.isEmpty() && !why.startsWith("short of GPUs"))
          .findFirst()
          .ifPresent(why -> counts.merge(why.replaceFirst(":.*", ""), 1L, Long::sum));
    }
    return counts.isEmpty()
        ? ""
        : counts.entrySet().stream()
            .sorted(Map.Entry.<String, Long>comparingByValue().reversed())
            .limit(MOST_REASONS)
            .map(e -> e.getValue() + " " + e.getKey())
            .collect(Collectors.joining(", ", "; do not fit: ", ""));
  }

  private static String why(Room room, Size size) {
    String off = NodeFit.keptOff(room.node(), size.replica());
    if (!off.isEmpty() || room.places(size, 0, size) > 0) {
      return off;
    }
    String addresses = size.rails().keptOff(room.node());
    return addresses.isEmpty()
        ? NodeFit.shortOf(
            room.node(), size.replica(), room.gpus(), room.held(), size.rails()::title)
        : addresses;
  }

  /** A device plugin that holds GPUs back makes a node appear smaller than it is. */
  private static String heldBack(List<NodeView> eligible) {
    long gpus = 0;
    List<String> where = new ArrayList<>();
    for (NodeView node : eligible) {
      long here =
          node.signs().shortfalls().stream()
              .filter(s -> s.resource().endsWith("/gpu"))
              .mapToLong(Shortfall::missing)
              .sum();
      if (here > 0) {
        gpus += here;
        where.add(node.name());
      }
    }
    where.sort(null);
    String nodes = String.join(", ", where.subList(0, Math.min(3, where.size())));
    return gpus == 0
        ? ""
        : "; held back by device plugins: %s on %s%s"
            .formatted(count(gpus, "GPU"), nodes, where.size() > 3 ? ", ..." : "");
  }

  private static boolean fitsAlone(Map.Entry<Size, Integer> size, List<Room> rooms) {
    long left = size.getValue();
    for (Room room : rooms) {
      left -= Math.clamp(room.places(size.getKey(), 0, size.getKey()), 0, left);
    }
    return left == 0;
  }

  private static String needed(Map<Size, Integer> podsBySize) {
    NavigableMap<Long, Integer> byGpus = new TreeMap<>();
    podsBySize.forEach((size, pods) -> byGpus.merge(size.gpus(), pods, Integer::sum));
    if (byGpus.lastKey() > 0) {
      byGpus.remove(0L);
    }
    return byGpus.descendingMap().entrySet().stream()
        .map(
            e ->
                e.getKey() == 0
                    ? count(e.getValue(), "pod")
                    : "%s with %s".formatted(count(e.getValue(), "pod"), count(e.getKey(), "GPU")))
        .collect(Collectors.joining(" and ", "needed: ", ""));
  }

  private static String count(long number, String what) {
    return number == 1 ? "1 " + what : number + " " + what + "s";
  }

  /** The nearest misses: what a person could give back. */
  private static String leftOut(Collection<NodeView> nodes, Collection<String> excluded) {
    Map<String, Long> counts =
        nodes.stream()
            .map(n -> NodeFit.closed(n, excluded))
            .filter(why -> !why.isEmpty())
            .collect(
                Collectors.groupingBy(Function.identity(), TreeMap::new, Collectors.counting()));
    List<String> parts = new ArrayList<>();
    counts.forEach((why, count) -> parts.add(count + " " + why));
    return parts.isEmpty() ? "" : "; left out: " + String.join(", ", parts);
  }

  /**
   * Whether pods of at most two sizes fit. For each number of the rarer ones: how many of the
   * others fit beside them at best on the nodes checked so far. The numbers are a tenant's: of more
   * of the rarer than a gang ever has, each size is only counted by itself.
   */
  private static boolean fits(Map<Size, Integer> podsBySize, List<Room> rooms) {
    List<Map.Entry<Size, Integer>> sizes =
        podsBySize.entrySet().stream().sorted(Map.Entry.comparingByValue()).toList();
    Map.Entry<Size, Integer> often = sizes.getLast();
    Size rarer = sizes.getFirst().getKey();
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
    for (Room room : rooms) {
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
