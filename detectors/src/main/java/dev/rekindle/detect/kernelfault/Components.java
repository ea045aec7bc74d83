package dev.rekindle.detect.kernelfault;

import dev.rekindle.api.NodeFaultSpec.ComponentType;
import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.detect.PciAddress;
import dev.rekindle.detect.kernel.Finding;
import dev.rekindle.detect.kernel.Source;
import dev.rekindle.detect.nvml.GpuNames;
import dev.rekindle.detect.rdma.NicNames;
import java.util.List;
import java.util.Set;
import java.util.function.BiPredicate;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Which components a line of the kernel log is about, under the names that the other detectors of
 * this node use: one thing with two names would be two faults, and no witness of itself. Used by
 * the reader's thread.
 */
public final class Components {
  /** What the port says as well, and how long it lasts. */
  private static final Set<String> STATE_OF_THE_LINK =
      Set.of("link-down", "cable-unplugged", "cable-error");

  private final Supplier<NicNames> nics;
  private final Supplier<GpuNames> gpus;
  private final BiPredicate<String, String> below;
  private final Predicate<String> disks;

  /**
   * The components of a node.
   *
   * @param nics how its ports are called by now
   * @param gpus its GPUs as far as NVML has reported them
   * @param below whether a device is below a port of the PCI bus: address of the device without
   *     function, address of the port with function
   * @param disks whether a block device carries a file system of the node itself
   */
  public Components(
      Supplier<NicNames> nics,
      Supplier<GpuNames> gpus,
      BiPredicate<String, String> below,
      Predicate<String> disks) {
    this.nics = nics;
    this.gpus = gpus;
    this.below = below;
    this.disks = disks;
  }

  /** Components of a node of which nothing but the names of its ports is known. */
  public static Components of(Supplier<NicNames> nics) {
    return new Components(nics, () -> GpuNames.NONE, (_, _) -> false, _ -> false);
  }

  /**
   * The finding with facts of the node that the line lacks: the address of a NIC where the line
   * names an interface, what kind of device is at an address, whose disk it is.
   */
  Finding located(Finding finding) {
    return switch (finding.source()) {
      case MLX5 ->
          finding.device().isEmpty() && !finding.port().isEmpty()
              ? finding.on(nics.get().card(finding.port()))
              : finding;
      case PCIE -> device(finding);
      case FILESYSTEM ->
          finding.mark().isEmpty() && !disks.test(finding.unit())
              ? finding.marked(Finding.OTHER)
              : finding;
      default -> finding;
    };
  }

  /** A NIC that is not read is none of the RDMA NICs, though its driver is the same. */
  private Finding device(Finding finding) {
    var kind = kind(finding.device());
    if (!kind.equals(Finding.OTHER)) {
      return finding.marked(kind);
    }
    if (finding.mark().equals(Finding.OTHER) && !finding.port().isEmpty()) {
      return Stream.concat(
              gpus.get().gpus().keySet().stream(),
              nics.get().ports().stream()
                  .filter(port -> !port.pci().isEmpty())
                  .map(port -> PciAddress.of(port.pci())))
          .filter(device -> below.test(device, finding.device() + finding.port()))
          .sorted()
          .findFirst()
          .map(device -> finding.on(device).marked(kind(device)))
          .orElse(finding);
    }
    return finding.mark().equals(Finding.NIC) && !nics.get().ports().isEmpty()
        ? finding.marked(Finding.OTHER)
        : finding;
  }

  /** UUID of the GPU at that address as NVML names it; empty where it does not. */
  String uuid(String address) {
    return gpus.get().uuid(address);
  }

  private String kind(String address) {
    return gpus.get().gpus().containsKey(address)
        ? Finding.GPU
        : nics.get().ofCard(address).isEmpty() ? Finding.OTHER : Finding.NIC;
  }

  /**
   * Ids of its components: the port of a NIC, each port of the card where it is about the card, the
   * device as the line names it where nothing else has a name for it.
   */
  List<String> of(Finding finding) {
    var named = named(finding);
    return named.isEmpty() ? List.of(finding.device()) : named;
  }

  private List<String> named(Finding finding) {
    if (finding.component() != ComponentType.NIC || finding.device().isEmpty()) {
      return List.of();
    }
    return finding.port().isEmpty() || finding.source() == Source.PCIE
        ? nics.get().ofCard(finding.device())
        : nics.get().of(finding.device(), finding.port());
  }

  /**
   * What its NodeFault says of fencing. That a link went down is seen by the port as well: it is no
   * second witness, and how long the port stays down decides.
   */
  FenceGuidance guidance(Finding finding, FenceGuidance judged) {
    return judged == FenceGuidance.THRESHOLD
            && STATE_OF_THE_LINK.contains(finding.code())
            && !named(finding).isEmpty()
        ? FenceGuidance.NEVER
        : judged;
  }
}
