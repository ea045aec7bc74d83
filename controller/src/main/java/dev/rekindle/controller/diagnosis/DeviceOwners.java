package dev.rekindle.controller.diagnosis;

import com.google.re2j.Matcher;
import com.google.re2j.Pattern;
import dev.rekindle.controller.model.FaultView;
import dev.rekindle.controller.model.PodView;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Which pods of a gang hold a faulty GPU. On nodes that several jobs share, the fault of a GPU that
 * belongs to another job is none of this one's, as long as that is known and not supposed: every
 * pod of the gang on the node must say which GPUs it holds, and the fault must say the UUID of its
 * GPU. Where either is missing, the fault is everybody's.
 *
 * <p>A fault of a GPU is called by its PCI address, as in the kernel log; pods hold GPUs by UUID.
 * The agent says both where the driver has. A fault that lacks the UUID is of the GPU that another
 * fault of that address names.
 */
public final class DeviceOwners {
  private static final String GPU = "GPU ";
  private static final Pattern UUID =
      Pattern.compile(
          "GPU-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",
          Pattern.CASE_INSENSITIVE);

  private DeviceOwners() {}

  /**
   * The faults that the gang has to do with: all but those of GPUs that none of its pods holds.
   *
   * @param pods pods of one job
   * @param faults faults of the nodes that they are on
   */
  public static List<FaultView> concerning(Collection<PodView> pods, List<FaultView> faults) {
    if (faults.isEmpty()) {
      return faults;
    }
    Map<String, List<FaultView>> ofNode =
        faults.stream().collect(Collectors.groupingBy(FaultView::node));
    Map<String, List<PodView>> onNode = pods.stream().collect(Collectors.groupingBy(PodView::node));
    return faults.stream()
        .filter(
            fault ->
                concerns(
                    onNode.getOrDefault(fault.node(), List.of()),
                    fault,
                    ofNode.getOrDefault(fault.node(), List.of())))
        .toList();
  }

  /**
   * Whether a fault concerns the gang.
   *
   * @param there pods on its node
   * @param faults of its node
   */
  private static boolean concerns(List<PodView> there, FaultView fault, List<FaultView> faults) {
    Set<String> devices = devices(fault, faults);
    if (devices.isEmpty()
        || there.isEmpty()
        || !there.stream().allMatch(p -> p.devices().known())) {
      return true;
    }
    return there.stream()
        .flatMap(p -> p.devices().held().stream())
        .anyMatch(held -> mayBe(held, devices));
  }

  /**
   * A slice is named by a UUID of its own, which says nothing of its GPU; only in its old form does
   * it hold the GPU's.
   */
  private static boolean mayBe(String held, Set<String> devices) {
    String id = held.toLowerCase(Locale.ROOT);
    if (devices.contains(id)) {
      return true;
    }
    if (!id.startsWith("mig-")) {
      // A pod that names a device otherwise, by an index say, holds one that is not known.
      return !id.startsWith("gpu-");
    }
    Set<String> inside = uuids(held);
    return inside.isEmpty() || inside.stream().anyMatch(devices::contains);
  }

  /** UUID of the GPU that the fault is of, lower case; empty when it is of no one GPU. */
  private static Set<String> devices(FaultView fault, List<FaultView> faults) {
    if (!fault.component().startsWith(GPU)) {
      return Set.of();
    }
    if (!fault.deviceUuid().isEmpty()) {
      return Set.of(fault.deviceUuid().toLowerCase(Locale.ROOT));
    }
    // The device plugin and DRA call it by its UUID.
    Set<String> called = uuids(fault.component());
    if (!called.isEmpty()) {
      return called;
    }
    Set<String> found =
        faults.stream()
            .filter(f -> f.component().equals(fault.component()) && !f.deviceUuid().isEmpty())
            .map(f -> f.deviceUuid().toLowerCase(Locale.ROOT))
            .collect(Collectors.toSet());
    // Two for one address: a GPU was replaced, or somebody is mistaken.
    return found.size() == 1 ? found : Set.of();
  }

  private static Set<String> uuids(String text) {
    Set<String> found = new HashSet<>();
    Matcher matcher = UUID.matcher(text);
    while (matcher.find()) {
      found.add(matcher.group().toLowerCase(Locale.ROOT));
    }
    return found;
  }
}
