package dev.rekindle.controller.cluster;

/** A watch of one kind that is kept going. */
interface Watch extends AutoCloseable {
  /** Starts watching; returns at once. */
  void start();

  /** Whether all objects there are have been taken in, or the kind is not installed. */
  boolean synced();

  @Override
  void close();
}
