package dev.rekindle.detect.node;

/**
 * A device resource of which pods may request less than the node has: its device plugin holds some
 * for unhealthy, or is away.
 *
 * @param resource {@code nvidia.com/gpu}
 * @param capacity what the node has
 * @param allocatable what pods may request, less than that
 */
public record Shortfall(String resource, long capacity, long allocatable) {
  /** How many are held back. */
  public long missing() {
    return capacity - allocatable;
  }
}
