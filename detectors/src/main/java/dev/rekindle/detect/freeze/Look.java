package dev.rekindle.detect.freeze;

/** What a look at a container shows after an attempt to freeze, kill or thaw it. */
public enum Look {
  /** All its processes are as wanted. */
  DONE,
  /** Not all of them yet: to be tried again soon. */
  NOT_YET,
  /** No process of it exists, or none that can be found. */
  GONE
}
