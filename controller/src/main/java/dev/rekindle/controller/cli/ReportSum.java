package dev.rekindle.controller.cli;

import dev.rekindle.api.TrainingTime;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;

/** Adds up Recoveries that have something in common. */
final class ReportSum {
  private static final double SECONDS_PER_HOUR = 3_600;
  private static final double MEDIAN = 0.5;
  private static final double MOST = 0.95;

  private final String key;
  private final List<Double> downtimes = new ArrayList<>();

  /** By UID of a job: the newest of the sums that its Recoveries carry. */
  private final Map<String, TrainingTime> times = new HashMap<>();

  private int recoveries;
  private int recovered;
  private double gpuSeconds;
  private double unpricedSeconds;
  private double money;

  ReportSum(String key) {
    this.key = key;
  }

  /**
   * Adds one.
   *
   * @param share of its loss, from 0 to 1
   * @param price of an hour of one GPU of its gang; empty where that is not known
   */
  void add(ReportedRecovery recovery, double share, OptionalDouble price) {
    recoveries++;
    if (Report.isGood(recovery)) {
      recovered++;
    }
    Double lost = recovery.gpuSeconds();
    if (lost != null) {
      gpuSeconds += lost * share;
      if (price.isPresent()) {
        money += lost * share / SECONDS_PER_HOUR * price.getAsDouble();
      } else {
        unpricedSeconds += lost * share;
      }
    }
    Double down = recovery.downtimeSeconds();
    if (down != null) {
      downtimes.add(down);
    }
    TrainingTime time = recovery.time();
    if (time != null) {
      times.merge(recovery.jobUid(), time, (a, b) -> a.until().isAfter(b.until()) ? a : b);
    }
  }

  ReportRow row() {
    Collections.sort(downtimes);
    return new ReportRow(
        key,
        recoveries,
        recovered,
        gpuSeconds / SECONDS_PER_HOUR,
        money,
        unpricedSeconds / SECONDS_PER_HOUR,
        quantile(MEDIAN),
        quantile(MOST),
        ettr());
  }

  /** The smallest that so large a share of them does not exceed. */
  private OptionalDouble quantile(double share) {
    int rank = (int) Math.ceil(share * downtimes.size());
    return downtimes.isEmpty()
        ? OptionalDouble.empty()
        : OptionalDouble.of(downtimes.get(Math.max(0, rank - 1)));
  }

  private OptionalDouble ettr() {
    double wall = times.values().stream().mapToDouble(TrainingTime::wallSeconds).sum();
    double productive = times.values().stream().mapToDouble(TrainingTime::productiveSeconds).sum();
    return wall > 0 ? OptionalDouble.of(productive / wall) : OptionalDouble.empty();
  }
}
