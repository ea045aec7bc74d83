package dev.rekindle.simulator.replay;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.rekindle.api.SaveEconomics;
import dev.rekindle.controller.economics.Economics;
import dev.rekindle.controller.economics.SaveAdvice;
import dev.rekindle.simulator.replay.Timeline.State;
import dev.rekindle.simulator.replay.Timeline.Stop;
import java.time.Duration;
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
    Economics costs =
        new Economics(
            Durations.seconds(between),
            Durations.seconds(a.checkpointWrite()),
            Durations.seconds(stop));
    return Optional.of(SaveAdvice.of(Durations.seconds(a.checkpointInterval()), costs, a.gpus()));
  }

  /** Writes the same for machines, GPU-hours and seconds. */
  static void write(ObjectNode node, Result result) {
    ReplayEconomics parts = of(result);
    node.putObject("badputGpuHours")
        .put(
            "infrastructureRecovery",
            ReplayJson.rounded(result.gpuHours(parts.infrastructureRecovery())))
        .put("programStartup", ReplayJson.rounded(result.gpuHours(parts.programStartup())))
        .put("wastedProgress", ReplayJson.rounded(result.gpuHours(parts.wastedProgress())))
        .put("checkpointSave", ReplayJson.rounded(result.gpuHours(parts.checkpointSave())));
    SaveEconomics figures = advice(result).map(SaveAdvice::figures).orElse(null);
    write(node, figures);
  }

  private static void write(ObjectNode node, @Nullable SaveEconomics figures) {
    if (figures == null) {
      node.putNull("checkpointAdvice");
      return;
    }
    node.putObject("checkpointAdvice")
        .put("intervalSeconds", ReplayJson.rounded(figures.secondsApart()))
        .put("bestIntervalSeconds", ReplayJson.rounded(figures.bestSecondsApart()))
        .put("expectedEttr", ReplayJson.rounded(figures.ettr()))
        .put("bestExpectedEttr", ReplayJson.rounded(figures.bestEttr()))
        .put("gpuHoursPerDay", ReplayJson.rounded(figures.gpuHoursPerDay()));
  }
}
