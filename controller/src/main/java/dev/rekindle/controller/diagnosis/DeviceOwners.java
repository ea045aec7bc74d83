package dev.rekindle.controller.diagnosis;

import dev.rekindle.controller.model.FaultView;
import dev.rekindle.controller.model.PodView;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Which pods of a gang hold a faulty GPU. On nodes that several jobs share, the fault of a GPU that
 * belongs to another job is none of this one's, as long as that is known and not supposed: every
 * pod of the gang on the node must say which GPUs it holds, and the fault must say the UUID of its
 * GPU ({@link GpuUuids}), by which pods hold it. Where either is missing, the fault is everybody's.
 */
public final class DeviceOwners {
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
    Map<String, GpuUuids> ofNode =
        faults.stream()
            .collect(
                Collectors.groupingBy(
                    FaultView::node,
                    Collectors.collectingAndThen(Collectors.toList(), GpuUuids::new)));
    Map<String, List<PodView>> onNode = pods.stream().collect(Collectors.groupingBy(PodView::node));
    return faults.stream()
        .filter(
            fault ->
                concerns(
                    onNode.getOrDefault(fault.node(), List.of()),
                    Objects.requireNonNull(ofNode.get(fault.node())).of(fault)))
        .toList();
  }

  /**
   * Whether the fault of a GPU concerns the gang.
   *
   * @param there pods on its node
   * @param gpu UUID of the GPU, empty when it is of no one GPU
   */
  private static boolean concerns(List<PodView> there, String gpu) {
    if (gpu.isEmpty() || there.isEmpty() || !there.stream().allMatch(p -> p.devices().known())) {
      return true;
    }
    return there.stream()
        .flatMap(p -> p.devices().held().stream())
        .anyMatch(held -> mayBe(held, gpu));
  }

  /**
   * A slice is named by a UUID of its own, which says nothing of its GPU; only in its old form does
   * it hold the GPU's.
   */
  private static boolean mayBe(String held, String gpu) {
    String id = held.toLowerCase(Locale.ROOT);
    if (gpu.equals(id)) {
      return true;
    }
    if (!id.startsWith("mig-")) {
      // A pod that names a device otherwise, by an index say, holds one that is not known.
      return !id.startsWith("gpu-");
    }
    Set<String> inside = GpuUuids.in(held);
    return inside.isEmpty() || inside.contains(gpu);
  }
}
