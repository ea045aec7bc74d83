package dev.rekindle.detect.kernel;

import com.google.re2j.Pattern;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * Lines of the kernel about the machine itself: uncorrected errors of its memory, fatal errors that
 * its firmware reports, disks that are gone, file systems that take no more writes. What was
 * corrected reports nothing.
 */
final class MachineLines {
  private static final Pattern CPER =
      Pattern.compile("^(?:\\{\\d{1,9}\\})?\\[Hardware Error\\]: event severity: fatal\\b");

  private static final Pattern EDAC =
      Pattern.compile("^EDAC ([A-Za-z0-9_#]{1,20}): (?:\\d+ )?UE\\b");

  /** The kernel ends the process whose memory is lost. */
  private static final Pattern HIT =
      Pattern.compile(
          "^(?:Memory failure|MCE):? 0x[0-9a-fA-F]{1,16}: (?:Sending SIGBUS to|Killing)"
              + " (.{1,64}):(\\d{1,10}) due to hardware memory corruption");

  private static final Pattern NVME =
      Pattern.compile(
          "^nvme (nvme\\d{1,5}): (?:Disabling device after reset failure|Removing after probe"
              + " failure|Device not ready; aborting|controller is down; will reset:"
              + " CSTS=0xffffffff)");

  private static final Pattern READ_ONLY =
      Pattern.compile(
          "^(?:EXT[234]-fs \\(([^)\\s]{1,64})\\): Remounting filesystem read-only"
              + "|BTRFS[a-z ]{0,10} ?\\(device ([^):\\s]{1,64})[^)]{0,40}\\): forced readonly)");

  private static final Pattern SHUT_DOWN =
      Pattern.compile(
          "^XFS \\(([^)\\s]{1,64})\\): (.*(?:[Ss]hutting down filesystem|Filesystem has been shut"
              + " down|xfs_do_force_shutdown\\(0x).*)");

  /** Disks that a volume of a pod comes from, and never the node's own file systems. */
  private static final Pattern VOLUME =
      Pattern.compile("^(?:rbd|nbd|loop|drbd|zd|zram|ram|pxd)\\d.*");

  private MachineLines() {}

  static Optional<Finding> parse(String message) {
    if (message.isEmpty()) {
      return Optional.empty();
    }
    return switch (message.charAt(0)) {
      case '{', '[' ->
          CPER.matcher(message).find()
              ? Optional.of(Finding.of(Source.MACHINE, "cper-fatal", "", "", ""))
              : Optional.empty();
      case 'M' -> hit(message);
      case 'n' -> {
        var nvme = NVME.matcher(message);
        yield nvme.find()
            ? Optional.of(Finding.of(Source.NVME, "dead", "", "", nvme.group(1)))
            : Optional.empty();
      }
      case 'E', 'B', 'X' -> fileSystem(message).or(() -> edac(message));
      default -> Optional.empty();
    };
  }

  private static Optional<Finding> edac(String message) {
    var edac = EDAC.matcher(message);
    return edac.find()
        ? Optional.of(Finding.of(Source.MACHINE, "memory-uncorrected", "", "", edac.group(1)))
        : Optional.empty();
  }

  private static Optional<Finding> hit(String message) {
    var hit = HIT.matcher(message);
    return hit.find()
        ? Optional.of(
            new Finding(
                Source.MACHINE,
                "memory-hit",
                "",
                "",
                "",
                OptionalLong.of(Long.parseLong(hit.group(2))),
                hit.group(1).strip(),
                OptionalInt.empty()))
        : Optional.empty();
  }

  private static Optional<Finding> fileSystem(String message) {
    var readOnly = READ_ONLY.matcher(message);
    if (readOnly.find()) {
      var disk = readOnly.group(1) == null ? readOnly.group(2) : readOnly.group(1);
      return Optional.of(of("read-only", disk));
    }
    var shutDown = SHUT_DOWN.matcher(message);
    // A program that requests it by an ioctl has not met an error.
    return shutDown.find() && !shutDown.group(2).startsWith("User initiated")
        ? Optional.of(of("shut-down", shutDown.group(1)))
        : Optional.empty();
  }

  private static Finding of(String code, String disk) {
    return Finding.of(
        Source.FILESYSTEM, code, VOLUME.matcher(disk).find() ? Finding.OTHER : "", "", disk);
  }
}
