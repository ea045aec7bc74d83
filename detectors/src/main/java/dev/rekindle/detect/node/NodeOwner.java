package dev.rekindle.detect.node;

/**
 * Somebody else who is at work on a node: another remediator, an autoscaler, a maintenance.
 *
 * @param who {@code NVSentinel}, {@code Karpenter}, …
 * @param why the mark that says so: {@code taint karpenter.sh/disrupted}
 * @param tainted whether a taint keeps new pods off; a label alone does not
 */
public record NodeOwner(String who, String why, boolean tainted) {
  @Override
  public String toString() {
    return who + " (" + why + ")";
  }
}
