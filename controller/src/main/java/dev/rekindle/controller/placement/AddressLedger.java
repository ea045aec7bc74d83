package dev.rekindle.controller.placement;

import dev.rekindle.controller.network.PoolView;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * How many addresses each pool has left for new pods. Addresses of pods that end count as free, by
 * the UIDs of the pods. A pool that cannot be read counts as large enough.
 */
final class AddressLedger {
  /** More than any pool has. */
  static final long ENOUGH = Integer.MAX_VALUE;

  private final Set<String> leaving;
  private final Map<String, Long> left = new HashMap<>();

  AddressLedger(Collection<String> leaving) {
    this.leaving = Set.copyOf(leaving);
  }

  /** One that begins where this one stands. */
  AddressLedger copy() {
    AddressLedger copy = new AddressLedger(leaving);
    copy.left.putAll(left);
    return copy;
  }

  /** How many are left; none of a pool that gives none. */
  long left(PoolView pool) {
    return left.computeIfAbsent(
        pool.name(), _ -> pool.closed() ? 0 : pool.free(leaving).orElse(ENOUGH));
  }

  /** Of these pools together. */
  long left(Collection<PoolView> pools) {
    return Math.min(ENOUGH, pools.stream().mapToLong(this::left).sum());
  }

  /** One is given to a pod that comes. */
  void take(PoolView pool) {
    left.put(pool.name(), left(pool) - 1);
  }
}
