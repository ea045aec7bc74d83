package dev.rekindle.api;

import com.fasterxml.jackson.annotation.JsonProperty;

/** What the main thread of a rank was seen doing in two samples. */
public enum MainThread {
  /** On a processor, or waiting for one. */
  @JsonProperty("Running")
  RUNNING,
  /** It sleeps, and a signal would wake it. */
  @JsonProperty("Sleeping")
  SLEEPING,
  /** It sleeps and no signal wakes it: a disk, a network file system or a driver. */
  @JsonProperty("Blocked")
  BLOCKED,
  /** Stopped by a signal, or by a debugger. */
  @JsonProperty("Stopped")
  STOPPED,
  /** Not the same at both, or not known. */
  @JsonProperty("Changing")
  CHANGING
}
