package dev.rekindle.detect.stall;

import static java.util.stream.Collectors.toCollection;

import dev.rekindle.detect.flightrecorder.Collective;
import dev.rekindle.detect.flightrecorder.Dump;
import java.util.Collection;
import java.util.HashSet;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Ranks whose device has not come to the operation in which those of others stand, where recorders
 * time devices. It is the first that is pending for such a rank, so there is nothing before it for
 * which it could wait, and its device has come to nothing behind it.
 *
 * <p>Where several have not come, they may wait for each other in what no recorder keeps, such as
 * kernels that exchange data on their own: none of them is at fault for that.
 */
final class TimedDevices {
  /**
   * What a device has not come to.
   *
   * @param operation for people
   * @param there ranks whose devices stand in it
   */
  record Awaited(String operation, NavigableSet<Integer> there) {}

  private final NavigableMap<Integer, Awaited> awaited = new TreeMap<>();

  private final Set<GroupWaits> groups = new HashSet<>();

  /**
   * Finds them.
   *
   * @param inPeerCalls those that are awaited in a send or a receive
   */
  static TimedDevices of(
      Map<Integer, Dump> dumps,
      Collection<GroupWaits> groups,
      NavigableMap<Integer, Awaited> inPeerCalls,
      PendingOrder order) {
    var devices = new TimedDevices();
    groups.forEach(waits -> devices.add(waits, order));
    inPeerCalls.forEach(devices.awaited::putIfAbsent);
    devices.awaited.keySet().removeIf(rank -> hasBegunAny(dumps.get(rank)));
    return devices;
  }

  private void add(GroupWaits waits, PendingOrder order) {
    var ranks = waits.members().navigableKeySet();
    var members = waits.group().ranks();
    if (members.isEmpty() || !ranks.containsAll(members)) {
      return;
    }
    NavigableSet<Integer> there =
        ranks.stream()
            .filter(rank -> waits.standsIn(rank, true))
            .collect(toCollection(TreeSet::new));
    if (there.isEmpty()) {
      return;
    }
    long sequence = there.stream().mapToLong(waits::sequence).max().orElseThrow();
    for (int rank : ranks) {
      if (waits.sequence(rank) == sequence
          && waits.standsIn(rank, false)
          && order.standsIn(rank, waits.group(), sequence)) {
        var operation =
            "collective %d%s of %s"
                .formatted(sequence, waits.operation(sequence), waits.group().label());
        awaited.putIfAbsent(rank, new Awaited(operation, there));
        groups.add(waits);
      }
    }
  }

  private static boolean hasBegunAny(@Nullable Dump dump) {
    return dump != null
        && dump.groups().values().stream()
            .flatMap(progress -> progress.operations().stream())
            .anyMatch(operation -> hasBegun(operation, true));
  }

  /** Whether it is known that the device has come to it, or that it has not. */
  static boolean hasBegun(Collective operation, boolean begun) {
    return Boolean.valueOf(begun).equals(operation.begun());
  }

  /** Whether the device of a member has not come to where those of others stand. */
  boolean anyAwaitedIn(GroupWaits waits) {
    return groups.contains(waits);
  }

  /** All ranks whose devices are awaited. */
  NavigableSet<Integer> all() {
    return awaited.navigableKeySet();
  }

  /** The only one of all ranks, and what its device has not come to. */
  Optional<Map.Entry<Integer, Awaited>> only() {
    return awaited.size() == 1 ? Optional.of(awaited.firstEntry()) : Optional.empty();
  }

  /** Whether it is that one. */
  boolean isOnly(int rank) {
    return awaited.size() == 1 && awaited.containsKey(rank);
  }
}
