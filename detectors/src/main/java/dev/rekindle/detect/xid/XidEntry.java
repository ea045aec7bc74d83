package dev.rekindle.detect.xid;

import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.api.RepairAction;

/**
 * What one XID means.
 *
 * @param code the XID
 * @param name what happened, a clause
 * @param mnemonic the driver's own name, may be empty
 * @param origin {@code app}, {@code driver}, {@code hardware}, {@code link}, {@code thermal} or
 *     {@code system}
 * @param severity {@code info}, {@code app}, {@code gpu} or {@code node}
 * @param scope {@code process}, {@code gpu}, {@code fabric} or {@code node}
 * @param action what repairs it: {@code ignore}, {@code restart_job}, {@code reset_gpu}, {@code
 *     reboot_node}, {@code drain_and_rma}, {@code investigate}
 * @param fence whether the code alone is reason to fence the node
 * @param note what else is known of it, and where sources disagree; may be empty
 * @param known whether the catalogue holds the code
 */
public record XidEntry(
    int code,
    String name,
    String mnemonic,
    String origin,
    String severity,
    String scope,
    String action,
    FenceGuidance fence,
    String note,
    boolean known) {

  /** What a code means that is not described yet: investigate, fence if it comes again. */
  static XidEntry unknown(int code) {
    return new XidEntry(
        code,
        "not in the catalogue",
        "",
        "driver",
        "gpu",
        "gpu",
        RepairAction.INVESTIGATE.word(),
        FenceGuidance.THRESHOLD,
        "",
        false);
  }
}
