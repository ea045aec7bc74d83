package dev.rekindle.detect.rdma;

import dev.rekindle.detect.fault.FaultObservation;
import dev.rekindle.detect.fault.FaultResolution;
import java.util.List;

/**
 * What follows from a poll.
 *
 * @param clearances faults that are gone
 * @param observations faults that are there
 * @param memory what to remember once both are reported
 */
record NicDecision(
    List<FaultResolution> clearances, List<FaultObservation> observations, NicMemory memory) {
  NicDecision {
    clearances = List.copyOf(clearances);
    observations = List.copyOf(observations);
  }
}
