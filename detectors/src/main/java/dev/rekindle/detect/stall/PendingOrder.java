package dev.rekindle.detect.stall;

import dev.rekindle.detect.flightrecorder.Collective;
import dev.rekindle.detect.flightrecorder.Dump;
import dev.rekindle.detect.flightrecorder.ProcessGroup;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * What each rank enqueued first of what is pending, over all its groups. A device takes what it is
 * given in order: a host that runs ahead has enqueued its half of an operation long before its
 * device comes to it, and peers wait for that.
 */
final class PendingOrder {
  /** What a rank enqueued first of what is pending. */
  record First(ProcessGroup group, Collective operation) {
    boolean isIn(ProcessGroup other, Collective theirs) {
      return group.equals(other)
          && operation.pointToPoint() == theirs.pointToPoint()
          && operation.sequence() == theirs.sequence();
    }
  }

  private final Map<Integer, First> firsts = new HashMap<>();

  /** Of ranks of whose pending operations all have a time, and one the first. */
  static PendingOrder of(Map<Integer, Dump> dumps) {
    var order = new PendingOrder();
    dumps.forEach(order::add);
    return order;
  }

  private void add(int rank, Dump dump) {
    first(dump).ifPresent(first -> firsts.put(rank, first));
  }

  /** Of one dump; empty where a pending operation has no time, or two have the first. */
  static Optional<First> first(Dump dump) {
    First first = null;
    boolean tied = false;
    for (var group : dump.groups().entrySet()) {
      for (var operation : group.getValue().operations()) {
        if (operation.pending() && operation.created() <= 0) {
          return Optional.empty();
        }
        if (!operation.pending()) {
          continue;
        }
        if (first == null || operation.created() < first.operation().created()) {
          first = new First(group.getKey(), operation);
          tied = false;
        } else if (operation.created() == first.operation().created()) {
          tied |= !first.isIn(group.getKey(), operation);
        }
      }
    }
    return tied ? Optional.empty() : Optional.ofNullable(first);
  }

  /** Whether the rank has enqueued an operation and its device stands in one before it. */
  boolean standsBefore(int rank, ProcessGroup group, Collective operation) {
    var first = firsts.get(rank);
    return first != null
        && !first.isIn(group, operation)
        && first.operation().created() < operation.created();
  }

  /** Whether the rank's device stands in an operation that it has enqueued. */
  boolean standsIn(int rank, ProcessGroup group, Collective operation) {
    var first = firsts.get(rank);
    return first != null && first.isIn(group, operation);
  }

  /** Whether the rank's device stands in that collective. */
  boolean standsIn(int rank, ProcessGroup group, long sequence) {
    var first = firsts.get(rank);
    return first != null
        && first.group().equals(group)
        && !first.operation().pointToPoint()
        && first.operation().sequence() == sequence;
  }

  /** Whether the rank's device stands in a send or a receive. */
  boolean standsInPeerCall(int rank) {
    var first = firsts.get(rank);
    return first != null && first.operation().pointToPoint();
  }

  /** Whether it is known of all these ranks. */
  boolean isKnownOf(Collection<Integer> ranks) {
    return firsts.keySet().containsAll(ranks);
  }
}
