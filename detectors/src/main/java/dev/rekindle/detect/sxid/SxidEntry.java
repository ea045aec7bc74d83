package dev.rekindle.detect.sxid;

import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.api.RepairAction;

/**
 * What one SXid means.
 *
 * @param code the SXid
 * @param mnemonic the driver's own name; may be empty
 * @param block the part of the switch
 * @param action what repairs it: {@code ignore}, {@code reset_gpu}, {@code reboot_node}, {@code
 *     drain_and_rma}, {@code investigate}
 * @param fence whether the code alone is reason to fence the node, where its line carries no word
 * @param note what else is known of it; may be empty
 * @param known whether the catalogue holds the code
 */
public record SxidEntry(
    int code,
    String mnemonic,
    String block,
    String action,
    FenceGuidance fence,
    String note,
    boolean known) {

  /** What a code means that is not described yet: investigate, fence if it comes again. */
  static SxidEntry unknown(int code) {
    return new SxidEntry(
        code, "", "", RepairAction.INVESTIGATE.word(), FenceGuidance.THRESHOLD, "", false);
  }
}
