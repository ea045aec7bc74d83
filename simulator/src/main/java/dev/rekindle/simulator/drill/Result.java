package dev.rekindle.simulator.drill;

import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.controller.model.RecoveryView;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * How a drill ended, read off the cluster.
 *
 * @param reached the newest step before the fault had its effect
 * @param step the newest step now
 * @param past whether the job trained past what it had reached
 * @param down from the fault to the first step of a later generation; until now when there is none
 * @param recoveries the job's recoveries, in order
 * @param created when each came to be
 * @param simulated how much time passed in the cluster
 */
record Result(
    long reached,
    long step,
    boolean past,
    Duration down,
    List<RecoveryView> recoveries,
    Map<String, Instant> created,
    Duration simulated) {
  Result {
    recoveries = List.copyOf(recoveries);
    created = Map.copyOf(created);
  }

  /** Whether training resumed: past its old step, by recoveries of which each ended well. */
  boolean recovered() {
    return past && ClusterReporter.allRecovered(recoveries);
  }

  /** From detection to the first new step, over all recoveries. */
  double downtimeSeconds() {
    return sum(RecoveryStatus.Outcome::downtimeSeconds);
  }

  double gpuHours() {
    return sum(RecoveryStatus.Outcome::lostGpuSeconds) / 3600;
  }

  long lostSteps() {
    return outcomes()
        .map(RecoveryStatus.Outcome::lostSteps)
        .filter(Objects::nonNull)
        .mapToLong(Long::longValue)
        .sum();
  }

  int attempts() {
    return statuses().mapToInt(RecoveryStatus::attempt).sum();
  }

  private double sum(Function<RecoveryStatus.Outcome, @Nullable Double> what) {
    return outcomes().map(what).filter(Objects::nonNull).mapToDouble(Double::doubleValue).sum();
  }

  private Stream<RecoveryStatus.Outcome> outcomes() {
    return statuses().map(RecoveryStatus::outcome).filter(Objects::nonNull);
  }

  private Stream<RecoveryStatus> statuses() {
    return recoveries.stream().map(RecoveryView::status).filter(Objects::nonNull);
  }
}
