package dev.rekindle.detect.agent;

import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.detect.kernel.Finding;
import dev.rekindle.detect.kernel.Source;
import dev.rekindle.detect.rdma.NicNames;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Which components a line of the kernel log is about, under the names that the other detectors of
 * this node use: one thing with two names would be two faults, and no witness of itself. Used by
 * the reader's thread.
 */
final class Components {
  /** What the port tells as well, and how long it lasts. */
  private static final Set<String> STATE_OF_THE_LINK =
      Set.of("link-down", "cable-unplugged", "cable-error");

  private final Supplier<NicNames> nics;

  /**
   * The components of a node.
   *
   * @param nics how its ports are called by now
   */
  Components(Supplier<NicNames> nics) {
    this.nics = nics;
  }

  /** The finding with the address of its NIC, where the line names an interface instead. */
  Finding located(Finding finding) {
    return finding.source() == Source.MLX5
            && finding.device().isEmpty()
            && !finding.port().isEmpty()
        ? finding.on(nics.get().card(finding.port()))
        : finding;
  }

  /**
   * Ids of its components: the port of a NIC, each port of the card where it is about the card, the
   * device as the line names it where nobody else has a name for it.
   */
  List<String> of(Finding finding) {
    var named = named(finding);
    return named.isEmpty() ? List.of(finding.device()) : named;
  }

  private List<String> named(Finding finding) {
    if (finding.source() != Source.MLX5 || finding.device().isEmpty()) {
      return List.of();
    }
    return finding.port().isEmpty()
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
