package dev.rekindle.detect.fault;

/** Counts what is written of faults. */
public interface FaultMetrics {
  /** So many observations of a fault were written. */
  void fault(String code, long count);

  /** A fault was refused for good, or is one of too many, and is not written. */
  void dropped(String code);

  /**
   * A write to the API server failed.
   *
   * @param kind kind of the object
   */
  void writeFailed(String kind);
}
