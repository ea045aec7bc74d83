package dev.rekindle.detect.restart;

/** Counts what is done for orders. */
public interface RestartMetrics {
  /** A container was ended. */
  void killed();

  /** An order cannot be carried out on this node. */
  void problem();

  /**
   * A write to the API server failed.
   *
   * @param kind kind of the object
   */
  void writeFailed(String kind);
}
