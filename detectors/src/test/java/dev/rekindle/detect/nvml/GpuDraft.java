package dev.rekindle.detect.nvml;

import dev.rekindle.detect.xid.RecoveryAction;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;

/** A reading of a GPU in the making; healthy at first. */
final class GpuDraft {
  final String pci;
  int answer = NvmlReturn.SUCCESS;
  Optional<RecoveryAction> action = Optional.of(RecoveryAction.NONE);
  OptionalLong ecc = OptionalLong.of(0);
  boolean sram;
  boolean pending;
  boolean failed;
  final NavigableMap<Integer, Boolean> links = new TreeMap<>();
  OptionalLong replays = OptionalLong.of(0);
  OptionalLong recoveries = OptionalLong.of(0);
  Optional<FabricReading> fabric = Optional.empty();
  long reasons = 1;
  Optional<GpuUse> use = Optional.empty();

  GpuDraft(String pci) {
    this.pci = pci;
  }

  GpuReading reading() {
    return new GpuReading(
        pci,
        "GPU-x",
        answer,
        action,
        ecc,
        sram,
        pending,
        failed,
        links,
        replays,
        recoveries,
        fabric,
        reasons,
        List.of(),
        use);
  }
}
