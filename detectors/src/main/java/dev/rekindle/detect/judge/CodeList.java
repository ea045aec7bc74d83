package dev.rekindle.detect.judge;

import dev.rekindle.detect.kernel.Source;
import dev.rekindle.detect.rules.Judge;
import dev.rekindle.detect.sxid.SxidCatalog;
import dev.rekindle.detect.xid.XidCatalog;
import java.util.List;

/** The codes of a source: those of its catalogue, or those that rules name. */
final class CodeList {
  private CodeList() {}

  static List<String> of(Judge judge, XidCatalog xids, SxidCatalog sxids, Source source) {
    return switch (source) {
      case XID -> xids.codes().stream().map(String::valueOf).toList();
      case SXID -> sxids.codes().stream().map(String::valueOf).toList();
      case MLX5, SEGFAULT, RESET, NVRM, PCIE, MACHINE, NVME, FILESYSTEM ->
          judge.rules().rules().stream()
              .filter(rule -> rule.source() == source)
              .flatMap(rule -> rule.codes().stream())
              .map(codes -> codes.first())
              .distinct()
              .toList();
    };
  }
}
