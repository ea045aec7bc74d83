package dev.rekindle.controller.kubernetes;

import java.time.Duration;
import java.util.Optional;

/** A watch of one kind that is kept going. */
interface Watch extends AutoCloseable {
  /** Starts watching; returns at once. */
  void start();

  /**
   * Takes note of whether the watch lives, and begins it again where it has been silent for too
   * long; says how long no event has arrived; empty before the first list.
   */
  Optional<Duration> listen();

  /** What it watches, plural and group. */
  String kind();

  /** Whether all objects there are have been taken in, or the kind is not installed. */
  boolean synced();

  @Override
  void close();
}
