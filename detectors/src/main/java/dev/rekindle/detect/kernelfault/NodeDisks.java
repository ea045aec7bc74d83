package dev.rekindle.detect.kernelfault;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * Which block devices carry file systems of the node itself. The kernel names a device and not
 * where it is mounted; a volume of a pod that is broken, or made to be, is none of the node's.
 */
public final class NodeDisks {
  /** Where the kubelet mounts volumes of pods. */
  private static final List<String> VOLUMES =
      List.of("/var/lib/kubelet/pods/", "/var/lib/kubelet/plugins/");

  private static final long LONGEST = 8L << 20;

  private final Path mounts;
  private final Path blocks;

  /**
   * Disks of a node.
   *
   * @param mounts mounts as the first process sees them, {@code /proc/1/mountinfo}
   * @param blocks {@code /sys/dev/block}: links by number of the device
   */
  public NodeDisks(Path mounts, Path blocks) {
    this.mounts = mounts;
    this.blocks = blocks;
  }

  /** Whether one of the node's own file systems is on it; false where it is not known. */
  public boolean areTheNodes(String device) {
    try {
      if (Files.size(mounts) > LONGEST) {
        return false;
      }
      try (Stream<String> lines = Files.lines(mounts, StandardCharsets.UTF_8)) {
        return lines.anyMatch(line -> isOfTheNode(line.split(" ", 6), device));
      }
    } catch (IOException | UncheckedIOException e) {
      return false;
    }
  }

  /** {@code 22 1 259:2 / / rw,relatime ...}: id, parent, device, root, mount point. */
  private boolean isOfTheNode(String[] mount, String device) {
    return mount.length > 5
        && VOLUMES.stream().noneMatch(mount[4]::startsWith)
        && name(mount[2]).equals(device);
  }

  private String name(String number) {
    try {
      return number.matches("\\d{1,6}:\\d{1,9}")
          ? blocks.resolve(number).toRealPath().getFileName().toString()
          : "";
    } catch (IOException e) {
      return "";
    }
  }
}
