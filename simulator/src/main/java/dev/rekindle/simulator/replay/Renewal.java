package dev.rekindle.simulator.replay;

import java.time.Duration;

/**
 * The formula that everybody uses for the effective training time ratio of a job whose stops come
 * at random: of the time M + D between two stops, M is trained; half a checkpoint interval of it is
 * lost, and of the rest a share goes into writing checkpoints. A check on the simulator, and the
 * other way round.
 */
final class Renewal {
  private Renewal() {}

  /**
   * The ratio.
   *
   * @param between mean time of training between two stops
   * @param stop mean length of a stop
   * @param interval training between two checkpoints
   * @param write time that writing one takes
   */
  static double ettr(Duration between, Duration stop, Duration interval, Duration write) {
    double m = seconds(between);
    double dt = seconds(interval);
    double w = seconds(write);
    return Math.max(0, (m - (dt + w) / 2) / (m + seconds(stop))) * dt / (dt + w);
  }

  private static double seconds(Duration duration) {
    return duration.toMillis() / 1000.0;
  }
}
