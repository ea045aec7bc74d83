package dev.rekindle.detect.rdma;

import java.time.Instant;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.TreeMap;

/**
 * What is remembered of a port.
 *
 * @param id device and port
 * @param device its device
 * @param pci address of the device
 * @param bootId boot in which it was last there
 * @param missed polls since then in which it was not
 * @param link how it was up and down
 * @param tally its counters
 * @param reported faults that stand, and when they were last reported
 */
record KnownPort(
    String id,
    String device,
    String pci,
    String bootId,
    int missed,
    Link link,
    Tally tally,
    NavigableMap<String, Instant> reported) {
  KnownPort {
    Objects.requireNonNull(id);
    Objects.requireNonNull(device);
    Objects.requireNonNull(pci);
    Objects.requireNonNull(bootId);
    Objects.requireNonNull(link);
    Objects.requireNonNull(tally);
    reported = new TreeMap<>(reported);
    reported.values().forEach(Objects::requireNonNull);
  }

  /** The same with other reports. */
  KnownPort withReported(NavigableMap<String, Instant> reported) {
    return new KnownPort(id, device, pci, bootId, missed, link, tally, reported);
  }

  /** The same after so many polls in which it was not there. */
  KnownPort withMissed(int missed) {
    return new KnownPort(id, device, pci, bootId, missed, link, tally, reported);
  }
}
