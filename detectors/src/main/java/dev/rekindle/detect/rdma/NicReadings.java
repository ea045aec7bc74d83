package dev.rekindle.detect.rdma;

import java.util.List;
import java.util.Set;

/**
 * One poll of all RDMA devices of the node.
 *
 * @param ports those that matter
 * @param excluded devices that do not: of management, virtual functions, and those of the settings
 * @param pci every PCI device there is, {@code 0000:3b:00.0}
 */
record NicReadings(List<PortReading> ports, Set<String> excluded, Set<String> pci) {
  NicReadings {
    ports = List.copyOf(ports);
    excluded = Set.copyOf(excluded);
    pci = Set.copyOf(pci);
  }
}
