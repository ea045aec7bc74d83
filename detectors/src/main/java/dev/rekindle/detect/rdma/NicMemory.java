package dev.rekindle.detect.rdma;

import java.util.NavigableMap;
import java.util.Objects;
import java.util.TreeMap;

/**
 * What is kept from poll to poll, and over restarts of agent and node.
 *
 * @param ports every port that was ever there, by its id
 */
record NicMemory(NavigableMap<String, KnownPort> ports) {
  static final NicMemory EMPTY = new NicMemory(new TreeMap<>());

  NicMemory {
    ports = new TreeMap<>(ports);
    ports.values().forEach(Objects::requireNonNull);
  }
}
