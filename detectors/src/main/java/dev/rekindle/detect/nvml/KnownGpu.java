package dev.rekindle.detect.nvml;

import dev.rekindle.detect.xid.RecoveryAction;
import java.time.Instant;
import java.util.List;
import java.util.NavigableSet;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeSet;

/**
 * What is remembered of a GPU from poll to poll. Counts begin again with each boot.
 *
 * @param pci its address
 * @param bootId boot in which it last answered
 * @param action what the driver last said it needs
 * @param eccUncorrected uncorrected ECC errors counted so far
 * @param linkReplays NVLink replays counted so far
 * @param linkRecoveriesFailed failed NVLink recoveries counted so far
 * @param linksUp NVLinks that were up in this boot
 * @param slow minutes of late in which the hardware slowed its clocks down
 */
record KnownGpu(
    String pci,
    String bootId,
    Optional<RecoveryAction> action,
    OptionalLong eccUncorrected,
    OptionalLong linkReplays,
    OptionalLong linkRecoveriesFailed,
    NavigableSet<Integer> linksUp,
    List<Instant> slow) {
  KnownGpu {
    Objects.requireNonNull(pci);
    Objects.requireNonNull(bootId);
    linksUp = new TreeSet<>(linksUp);
    slow = List.copyOf(slow);
  }

  /** A GPU of which nothing is known but that it is there. */
  static KnownGpu fresh(String pci, String bootId) {
    return new KnownGpu(
        pci,
        bootId,
        Optional.empty(),
        OptionalLong.empty(),
        OptionalLong.empty(),
        OptionalLong.empty(),
        new TreeSet<>(),
        List.of());
  }
}
