package dev.rekindle.controller.diagnosis;

import com.google.re2j.Matcher;
import com.google.re2j.Pattern;
import dev.rekindle.controller.model.FaultView;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Which GPUs the faults of a node are of. The kernel log calls a GPU by its PCI address, a device
 * plugin and HAMi by its UUID. The agent says both where the driver has; a fault that lacks the
 * UUID is of the GPU that another fault of that address names.
 */
final class GpuUuids {
  private static final String GPU = "GPU ";
  private static final Pattern UUID =
      Pattern.compile(
          "GPU-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",
          Pattern.CASE_INSENSITIVE);

  /** By component. */
  private final Map<String, Set<String>> named = new HashMap<>();

  /**
   * By what these say of each other.
   *
   * @param faults all of one node
   */
  GpuUuids(Collection<FaultView> faults) {
    for (FaultView fault : faults) {
      if (!fault.deviceUuid().isEmpty()) {
        named
            .computeIfAbsent(fault.component(), _ -> new HashSet<>())
            .add(fault.deviceUuid().toLowerCase(Locale.ROOT));
      }
    }
  }

  /** The faults of a node, each with the UUID of its GPU as far as that is known. */
  static List<FaultView> named(List<FaultView> faults) {
    GpuUuids uuids = new GpuUuids(faults);
    return faults.stream().map(uuids::named).toList();
  }

  private FaultView named(FaultView fault) {
    String uuid = fault.deviceUuid().isEmpty() ? of(fault) : "";
    return uuid.isEmpty() ? fault : fault.withDeviceUuid(uuid);
  }

  private static boolean isOfGpu(FaultView fault) {
    return fault.component().startsWith(GPU);
  }

  /** UUID of the GPU that the fault is of, lower case; empty when it is of no one GPU. */
  String of(FaultView fault) {
    if (!isOfGpu(fault)) {
      return "";
    }
    if (!fault.deviceUuid().isEmpty()) {
      return fault.deviceUuid().toLowerCase(Locale.ROOT);
    }
    Set<String> called = in(fault.component());
    Set<String> found = called.isEmpty() ? named.getOrDefault(fault.component(), Set.of()) : called;
    // Two for one address: a GPU was replaced, or somebody is mistaken.
    return found.size() == 1 ? found.iterator().next() : "";
  }

  /** Those that a text names, lower case. */
  static Set<String> in(String text) {
    Set<String> found = new TreeSet<>();
    Matcher matcher = UUID.matcher(text);
    while (matcher.find()) {
      found.add(matcher.group().toLowerCase(Locale.ROOT));
    }
    return found;
  }
}
