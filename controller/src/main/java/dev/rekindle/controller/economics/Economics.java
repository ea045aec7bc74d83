package dev.rekindle.controller.economics;

import java.util.OptionalDouble;

/**
 * What a way of saving costs a job on average: the estimator of Meta's paper on reliability (arXiv
 * 2410.21680) and the optimum of Young (1974) and Daly (2006). Pure; all times are in seconds.
 *
 * @param mtbf mean time between two failures of the whole job
 * @param save for how long one save keeps the job from training
 * @param restart from a failure until the job trains again, without what is trained twice
 */
public record Economics(double mtbf, double save, double restart) {
  private static final double SECONDS_PER_DAY = 86_400;

  /** All must be numbers; a time between failures and a duration of saves are more than nothing. */
  public Economics {
    if (!(mtbf > 0) || !(save > 0) || !(restart >= 0) || Double.isInfinite(mtbf + save + restart)) {
      throw new IllegalArgumentException(
          "mtbf %s, save %s, restart %s".formatted(mtbf, save, restart));
    }
  }

  /** The mean time between failures of a job on so many nodes of that rate. */
  public static double mtbf(int nodes, double failuresPerNodeDay) {
    return SECONDS_PER_DAY / (nodes * failuresPerNodeDay);
  }

  /** Young's interval between two saves, the square root of two saves times the MTBF. */
  public double young() {
    return Math.sqrt(2 * save * mtbf);
  }

  /** Daly's refinement of it; the MTBF where a save takes longer than two of these. */
  public double daly() {
    if (save >= 2 * mtbf) {
      return mtbf;
    }
    double x = save / (2 * mtbf);
    return young() * (1 + Math.sqrt(x) / 3 + x / 9) - save;
  }

  /** The expected share of time that trains, from 0 to 1, with so long between two saves. */
  public double ettr(double interval) {
    if (!(interval > 0)) {
      return 0;
    }
    double share = (1 - (restart + interval / 2) / mtbf) / (1 + save / interval);
    return Math.clamp(share, 0, 1);
  }

  /** GPU-hours per day that another interval costs more than the best one, never less than 0. */
  public double lostGpuHoursPerDay(double interval, long gpus) {
    return Math.max(0, ettr(young()) - ettr(interval)) * gpus * 24;
  }

  /** The mean time between failures by a job's own record; empty where it has not failed twice. */
  public static OptionalDouble observedMtbf(double trainedSeconds, int failures) {
    return failures < 2 || !(trainedSeconds > 0)
        ? OptionalDouble.empty()
        : OptionalDouble.of(trainedSeconds / failures);
  }
}
