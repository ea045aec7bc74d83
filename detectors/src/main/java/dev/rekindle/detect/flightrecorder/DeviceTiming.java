package dev.rekindle.detect.flightrecorder;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Whether the device has come to an operation that is pending. PyTorch records an event before each
 * operation where it is set to, for each process group by itself, and asks for it as it writes the
 * dump.
 *
 * <p>Guarantees: of a group of which nothing shows that it is timed, nothing is known. Nor is it
 * known that a device has not come to an operation where the recorder may have dropped older ones
 * that are pending: the device may stand in these.
 */
final class DeviceTiming {
  private final Set<ProcessGroup> timed = new HashSet<>();

  /** Gloo's, which have no device. */
  private final Set<ProcessGroup> withoutDevice = new HashSet<>();

  private boolean first = true;

  /** Whether the recorder has dropped nothing. */
  private boolean fromTheStart;

  /** Adds the next entry. */
  void add(ProcessGroup group, Fields entry) {
    if (first) {
      fromTheStart = entry.number("record_id", -1) == 0;
      first = false;
    }
    if (isBegun(entry)) {
      timed.add(group);
    }
    if (entry.text("profiling_name").startsWith("gloo:")) {
      withoutDevice.add(group);
    }
  }

  /** Adds the status of a group. */
  void addStatus(ProcessGroup group, Fields status) {
    if (status.number("last_started_collective", -1) > 0) {
      timed.add(group);
    }
  }

  /** What an entry alone says; without timing it says that no operation has begun. */
  static boolean isBegun(Fields entry) {
    return entry.text("state").equals("started")
        || entry.number("time_discovered_started_ns", 0) > 0;
  }

  /** Leaves what is known, in all operations of a dump. */
  void check(Map<ProcessGroup, List<Collective>> operations) {
    timed.removeAll(withoutDevice);
    boolean all = fromTheStart || goesBack(operations);
    operations.replaceAll(
        (group, own) ->
            own.stream().map(c -> isKnown(group, c, all) ? c : c.withoutTiming()).toList());
  }

  private boolean isKnown(ProcessGroup group, Collective operation, boolean all) {
    return timed.contains(group) && (all || Boolean.TRUE.equals(operation.begun()));
  }

  /** Whether something is over that was enqueued before all that is pending. */
  private static boolean goesBack(Map<ProcessGroup, List<Collective>> operations) {
    long pending = oldest(operations, /* pending= */ true);
    return oldest(operations, /* pending= */ false) < pending;
  }

  private static long oldest(Map<ProcessGroup, List<Collective>> operations, boolean pending) {
    return operations.values().stream()
        .flatMap(List::stream)
        .filter(c -> c.pending() == pending && c.created() > 0)
        .mapToLong(Collective::created)
        .min()
        .orElse(Long.MAX_VALUE);
  }
}
