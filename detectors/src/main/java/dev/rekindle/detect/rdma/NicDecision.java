package dev.rekindle.detect.rdma;

import dev.rekindle.detect.fault.Clearance;
import dev.rekindle.detect.fault.Sighting;
import java.util.List;

/**
 * What follows from a look.
 *
 * @param clearances faults that are gone
 * @param sightings faults that are there
 * @param memory what to remember once both are reported
 */
record NicDecision(List<Clearance> clearances, List<Sighting> sightings, NicMemory memory) {
  NicDecision {
    clearances = List.copyOf(clearances);
    sightings = List.copyOf(sightings);
  }
}
