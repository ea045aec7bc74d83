package dev.rekindle.simulator.drill;

import java.time.Duration;

/** Lets a person follow: time between two lines, a small part of what passes in the cluster. */
interface Pace {
  /** No pauses. */
  Pace NONE = _ -> Duration.ZERO;

  /** Waits, given how much virtual time passed since the last line; says how long it waited. */
  Duration pause(Duration virtual);

  /** Pauses for a reader. */
  static Pace forAReader() {
    return virtual -> {
      long millis = Math.clamp(virtual.toMillis() / 8, 60, 800);
      try {
        Thread.sleep(millis);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      return Duration.ofMillis(millis);
    };
  }
}
