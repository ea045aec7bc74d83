package dev.rekindle.detect.rules;

import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.api.RepairAction;
import dev.rekindle.detect.kernel.Finding;
import dev.rekindle.detect.sxid.SxidCatalog;
import dev.rekindle.detect.sxid.SxidEntry;
import dev.rekindle.detect.xid.XidCatalog;
import dev.rekindle.detect.xid.XidEntry;
import java.util.Locale;

/**
 * What the catalogue says of a code, where no rule says more.
 *
 * @param verdict what follows
 * @param threshold whether it fences when it repeats
 * @param action what repairs it
 * @param meaning what it means, a clause
 */
public record CatalogDefault(Verdict verdict, boolean threshold, String action, String meaning) {
  private static final CatalogDefault WORD =
      new CatalogDefault(
          Verdict.WATCH,
          false,
          RepairAction.INVESTIGATE.word(),
          "not in the catalogue; investigate");

  /** Both catalogues. */
  static CatalogDefault of(XidCatalog xids, SxidCatalog sxids, Finding finding) {
    return switch (finding.source()) {
      case XID -> of(xids.lookup(finding.number().orElse(0)));
      case SXID -> of(sxids.lookup(finding.number().orElse(0)));
      case MLX5, SEGFAULT, RESET, NVRM, PCIE, MACHINE, NVME, FILESYSTEM -> WORD;
    };
  }

  private static CatalogDefault of(XidEntry xid) {
    var verdict =
        switch (xid.fence()) {
          case ALWAYS -> Verdict.FENCE;
          // The process dies of it now; whether the hardware is to blame, repetition shows.
          case THRESHOLD ->
              xid.severity().equals("app") || RepairAction.RESTART_JOB.is(xid.action())
                  ? Verdict.RESTART
                  : Verdict.WATCH;
          case NEVER ->
              switch (RepairAction.of(xid.action()).orElse(RepairAction.INVESTIGATE)) {
                case RESTART_JOB -> Verdict.RESTART;
                case IGNORE -> Verdict.IGNORE;
                default -> Verdict.WATCH;
              };
        };
    return new CatalogDefault(
        verdict,
        xid.fence() == FenceGuidance.THRESHOLD,
        xid.action(),
        xid.known() ? xid.name() : WORD.meaning());
  }

  private static CatalogDefault of(SxidEntry sxid) {
    var verdict =
        switch (sxid.fence()) {
          case ALWAYS -> Verdict.FENCE;
          case THRESHOLD -> Verdict.WATCH;
          case NEVER -> Verdict.IGNORE;
        };
    var meaning =
        sxid.known()
            ? "NVSwitch "
                + sxid.block()
                + ": "
                + sxid.mnemonic().replaceFirst("^NVSWITCH_ERR_(HW_)?", "").toLowerCase(Locale.ROOT)
            : WORD.meaning();
    return new CatalogDefault(
        verdict, sxid.fence() == FenceGuidance.THRESHOLD, sxid.action(), meaning);
  }
}
