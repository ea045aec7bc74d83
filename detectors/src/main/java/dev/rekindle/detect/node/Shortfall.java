package dev.rekindle.detect.node;

/**
 * A device resource of which pods may request less than the node has: its device plugin holds some
 * for unhealthy, or is away. Of a plugin that is away for five minutes the kubelet forgets what it
 * had: none is left of none.
 *
 * @param resource {@code nvidia.com/gpu}
 * @param capacity what the node has
 * @param allocatable what pods may request, less than that, or 0
 */
public record Shortfall(String resource, long capacity, long allocatable) {
  /** Whether the kubelet has forgotten how many there are. */
  public boolean forgotten() {
    return capacity == 0 && allocatable == 0;
  }

  /** How many are held back. */
  public long missing() {
    return capacity - allocatable;
  }
}
