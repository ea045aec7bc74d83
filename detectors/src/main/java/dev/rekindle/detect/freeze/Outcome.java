package dev.rekindle.detect.freeze;

/** What an attempt to freeze, kill or thaw a container has come to. */
public enum Outcome {
  /** All its processes are as wanted. */
  DONE,
  /** Not all of them yet: to be tried again soon. */
  NOT_YET,
  /** No process of it exists, or none that can be found. */
  GONE
}
