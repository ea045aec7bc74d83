package dev.rekindle.detect.rdma;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Set;

/**
 * How RDMA ports are read.
 *
 * @param enabled whether they are read at all
 * @param sys the sysfs of the node
 * @param routes the routing table of the node, {@code /proc/1/net/route}
 * @param poll time from one poll to the next
 * @param exclude devices that are not read
 * @param rails the rail of each device; where it is empty, devices count by their PCI address
 */
public record NicSettings(
    boolean enabled,
    Path sys,
    Path routes,
    Duration poll,
    Set<String> exclude,
    Map<String, Integer> rails) {
  /** An immutable copy. */
  public NicSettings {
    exclude = Set.copyOf(exclude);
    rails = Map.copyOf(rails);
  }
}
