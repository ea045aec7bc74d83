package dev.rekindle.simulator.replay;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.rekindle.api.SaveEconomics;
import dev.rekindle.controller.economics.Economics;
import dev.rekindle.controller.economics.SaveAdvice;
import dev.rekindle.simulator.replay.Timeline.State;
import dev.rekindle.simulator.replay.Timeline.Stop;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Where the time of one world went, by the names of Google's badput, and how often the job should
 * save. A stop is split by the assumptions: its end is the start of the program and the reading of
 * the checkpoint.
 *
 * @param infrastructureRecovery down, without what follows
 * @param programStartup start and reading of the checkpoint, once for each stop that ended
 * @param wastedProgress steps made again
 * @param checkpointSave writing of checkpoints
 */
record ReplayEconomics(
    Duration infrastructureRecovery,
    Duration programStartup,
    Duration wastedProgress,
    Duration checkpointSave) {

  static ReplayEconomics of(Result result) {
    Duration down = result.in(State.DOWN);
    long ended = result.stops().stream().filter(Stop::over).count();
    Assumptions a = result.assumptions();
    Duration startup = a.start().plus(a.load()).multipliedBy(ended);
    Duration within = startup.compareTo(down) < 0 ? startup : down;
    return new ReplayEconomics(
        down.minus(within).plus(result.in(State.SHORT_OF_NODES)),
        within,
        result.madeAgain(),
        result.writing());
  }

  /** What is said of the checkpoint interval; empty where too little was seen of failures. */
  static Optional<SaveAdvice> advice(Result result) {
    Assumptions a = result.assumptions();
    Duration stop = result.meanStop().orElse(null);
    Duration between = result.betweenStops().orElse(null);
    if (result.stops().size() < 2
        || stop == null
        || between == null
        || between.isZero()
        || a.checkpointWrite().isZero()) {
      return Optional.empty();
    }
    Economics costs = new Economics(seconds(between), seconds(a.checkpointWrite()), seconds(stop));
    return Optional.of(SaveAdvice.of(seconds(a.checkpointInterval()), costs, a.gpus()));
  }

  /** Lines for people. */
  static List<String> lines(Result result) {
    ReplayEconomics parts = of(result);
    return List.of(
        "",
        "Badput by Google's buckets, GPU-hours: "
            + "infrastructure recovery %s, program startup %s, wasted progress %s, checkpoint save %s"
                .formatted(
                    hours(result, parts.infrastructureRecovery()),
                    hours(result, parts.programStartup()),
                    hours(result, parts.wastedProgress()),
                    hours(result, parts.checkpointSave())),
        "Checkpoints: "
            + advice(result)
                .map(SaveAdvice::text)
                .orElse("not enough data: fewer than two stops were seen"));
  }

  private static String hours(Result result, Duration time) {
    return String.format(Locale.ROOT, "%.0f", result.gpuHours(time));
  }

  /** Writes the same for machines, GPU-hours and seconds. */
  static void write(ObjectNode node, Result result) {
    ReplayEconomics parts = of(result);
    node.putObject("badputGpuHours")
        .put("infrastructureRecovery", rounded(result.gpuHours(parts.infrastructureRecovery())))
        .put("programStartup", rounded(result.gpuHours(parts.programStartup())))
        .put("wastedProgress", rounded(result.gpuHours(parts.wastedProgress())))
        .put("checkpointSave", rounded(result.gpuHours(parts.checkpointSave())));
    SaveEconomics figures = advice(result).map(SaveAdvice::figures).orElse(null);
    write(node, figures);
  }

  private static void write(ObjectNode node, @Nullable SaveEconomics figures) {
    if (figures == null) {
      node.putNull("checkpointAdvice");
      return;
    }
    node.putObject("checkpointAdvice")
        .put("intervalSeconds", rounded(figures.secondsApart()))
        .put("bestIntervalSeconds", rounded(figures.bestSecondsApart()))
        .put("expectedEttr", rounded(figures.ettr()))
        .put("bestExpectedEttr", rounded(figures.bestEttr()))
        .put("gpuHoursPerDay", rounded(figures.gpuHoursPerDay()));
  }

  private static double seconds(Duration time) {
    return time.toMillis() / 1000.0;
  }

  private static double rounded(double value) {
    return Math.round(value * 1e6) / 1e6;
  }
}
