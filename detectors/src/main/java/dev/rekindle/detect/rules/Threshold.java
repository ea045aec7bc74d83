package dev.rekindle.detect.rules;

import java.time.Duration;

/**
 * How often is too often: incidents of one code that fence.
 *
 * @param incidents so many, the newest included
 * @param window how far they may lie apart
 * @param same what they have in common
 * @param processes so many different processes, or pods where they are known, must have been hit
 * @param alone whether no other device of the node may show the code within the window: what fails
 *     on several GPUs is the application
 * @param because what it means when it is reached; may be empty
 */
public record Threshold(
    int incidents, Duration window, Same same, int processes, boolean alone, String because) {
  /** What incidents have in common. */
  public enum Same {
    /** The unit of one device; an incident that hit several units counts for none of them. */
    UNIT,
    /** The device. */
    DEVICE,
    /** Nothing but the node. */
    NODE
  }
}
