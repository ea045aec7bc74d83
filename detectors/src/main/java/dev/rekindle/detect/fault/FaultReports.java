package dev.rekindle.detect.fault;

/** Takes what detectors say. Either method throws when it cannot be delivered now. */
public interface FaultReports {
  /** A fault is there. */
  void saw(FaultObservation observation);

  /** Faults are gone. */
  void gone(FaultResolution clearance);
}
