package dev.rekindle.detect.nvml;

import dev.rekindle.detect.fault.Clearance;
import dev.rekindle.detect.fault.Sighting;
import java.util.List;

/**
 * What follows from a poll.
 *
 * @param clearances faults that are gone; to be reported first
 * @param sightings faults that are there
 * @param memory what to remember once both are reported
 */
record NvmlDecision(List<Clearance> clearances, List<Sighting> sightings, NvmlMemory memory) {
  NvmlDecision {
    clearances = List.copyOf(clearances);
    sightings = List.copyOf(sightings);
  }
}
