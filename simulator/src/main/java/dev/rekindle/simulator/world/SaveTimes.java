package dev.rekindle.simulator.world;

import java.time.Duration;
import java.time.Instant;

/** How long disks of nodes take for the same save. */
final class SaveTimes {
  /**
   * The fastest disk has its files complete after so much of the time of the slowest, in percent.
   */
  private static final int FASTEST = 50;

  private SaveTimes() {}

  /**
   * When a disk has its files complete; never two of them at the same moment. One without a name is
   * shared by all, and done with the slowest.
   */
  static Instant end(String disk, long step, Instant begun, Instant slowest) {
    if (disk.isEmpty()) {
      return slowest;
    }
    long chance = Math.floorMod(disk.hashCode() * 31L + step, 100 - FASTEST);
    long nanos = Duration.between(begun, slowest).toNanos();
    return slowest
        .minusNanos(nanos * chance / 100)
        .plusNanos(1 + Math.floorMod(disk.hashCode(), 999));
  }
}
