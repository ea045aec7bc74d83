package dev.rekindle.controller.placement;

import dev.rekindle.controller.network.PoolView;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Nodes and the address pools that they use, grouped where nodes share a pool. */
final class PoolGroups {
  private final Map<String, Group> byPool = new HashMap<>();

  /** Pools that nodes share, and how many pods these nodes can take. */
  private static final class Group {
    private final Map<String, PoolView> pools = new HashMap<>();
    private long places;
  }

  /** A node that takes so many pods, and the pools that are for it. */
  void add(List<PoolView> pools, long places) {
    Group group = new Group();
    group.places = places;
    List<Group> joined = new ArrayList<>();
    for (PoolView pool : pools) {
      group.pools.put(pool.name(), pool);
      Group other = byPool.get(pool.name());
      if (other != null && !joined.contains(other)) {
        joined.add(other);
      }
    }
    Group all = joined.isEmpty() ? group : joined.removeFirst();
    if (all != group) {
      joined.add(group);
    }
    for (Group other : joined) {
      all.pools.putAll(other.pools);
      all.places = Math.min(AddressLedger.ENOUGH, all.places + other.places);
    }
    joined.forEach(other -> other.pools.keySet().forEach(name -> byPool.put(name, all)));
    all.pools.keySet().forEach(name -> byPool.putIfAbsent(name, all));
  }

  /** Names of all pools, in order. */
  List<String> pools() {
    return byPool.keySet().stream().sorted().toList();
  }

  /** How many pods find an address at most. */
  long most(AddressLedger ledger) {
    return Math.min(
        AddressLedger.ENOUGH,
        byPool.values().stream()
            .distinct()
            .mapToLong(g -> Math.min(g.places, ledger.left(g.pools.values())))
            .sum());
  }
}
