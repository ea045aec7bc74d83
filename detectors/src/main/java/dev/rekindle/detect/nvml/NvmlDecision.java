package dev.rekindle.detect.nvml;

import dev.rekindle.detect.fault.FaultObservation;
import dev.rekindle.detect.fault.FaultResolution;
import java.util.List;

/**
 * What follows from a poll.
 *
 * @param clearances faults that are gone; to be reported first
 * @param observations faults that are there
 * @param memory what to remember once both are reported
 */
record NvmlDecision(
    List<FaultResolution> clearances, List<FaultObservation> observations, NvmlMemory memory) {
  NvmlDecision {
    clearances = List.copyOf(clearances);
    observations = List.copyOf(observations);
  }
}
