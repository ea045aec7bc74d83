package dev.rekindle.detect.rules;

/** Where two findings must be for one to be the echo of the other. */
public enum InhibitionScope {
  /** On the same device. */
  DEVICE,
  /** Anywhere on the node. */
  NODE
}
