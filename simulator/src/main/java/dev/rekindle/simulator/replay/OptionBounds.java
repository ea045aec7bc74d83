package dev.rekindle.simulator.replay;

import static dev.rekindle.cli.UsageException.checkRange;
import static java.util.Objects.requireNonNullElse;

import dev.rekindle.cli.UsageException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/** What options may be. */
final class OptionBounds {
  /** The only mix that can be generated. */
  static final String LLAMA3 = "llama3";

  static final int MAX_NODES = 10_000;
  private static final Duration TICK = Duration.ofMillis(100);
  private static final Duration LONGEST = Duration.ofDays(100);
  private static final int MAX_GPUS_PER_NODE = 72;

  private OptionBounds() {}

  /** Refuses what cannot be meant. */
  static void check(Options options) throws UsageException {
    refuseIf(
        !options.trace.isEmpty() && options.generate(),
        "one trace at a time, not " + TraceReader.shown(options.trace) + " as well");
    refuseIf(options.trace.isEmpty() && !options.generate(), "which trace?");
    refuseIf(
        options.generate() && !options.generate.equals(LLAMA3),
        "the only mix to generate is llama3, not " + TraceReader.shown(options.generate));
    checkRange("--job-nodes", requireNonNullElse(options.jobNodes, 1), 1, MAX_NODES);
    checkRange("--spares", requireNonNullElse(options.spares, 0), 0, MAX_NODES);
    checkRange("--gpus-per-node", options.gpusPerNode, 1, MAX_GPUS_PER_NODE);
    checkRange("--gpus", options.gpus, 1, MAX_NODES * MAX_GPUS_PER_NODE);
    checkRange("--max-fenced", requireNonNullElse(options.job.maxFenced, 0), 0, MAX_NODES);
    checkRange("--operator-rate", options.job.operatorRate, 1, 100_000);
    refuseIf(
        options.days != null && !(options.days > 0 && options.days <= TraceReader.MAX_DAYS),
        "--days is %s, not above 0 and at most %.0f".formatted(options.days, TraceReader.MAX_DAYS));
    time("--step", options.job.step, TICK);
    time("--checkpoint-interval", options.job.checkpointInterval, TICK);
    time("--checkpoint-write", options.job.checkpointWrite, Duration.ZERO);
    time("--start", options.job.start, Duration.ZERO);
    time("--load", options.job.load, Duration.ZERO);
    time("--nccl-timeout", options.job.ncclTimeout, Duration.ofSeconds(1));
    time("--stall", options.job.stall, Duration.ofMinutes(1));
    time("--notice", options.person.notice, Duration.ZERO);
    time("--respond", options.person.respond, Duration.ZERO);
    time("--manual-restart", options.person.manualRestart, Duration.ZERO);
    refuseIf(
        options.job.checkpointInterval.compareTo(options.job.step) < 0,
        "--checkpoint-interval is shorter than --step");
    refuseIf(
        options.job.stall.compareTo(options.job.checkpointWrite) <= 0,
        "--stall must be longer than --checkpoint-write, or writing is a hang");
    Path folder =
        options.output.svg == null ? null : options.output.svg.toAbsolutePath().getParent();
    // Better refused now than after the replay.
    refuseIf(
        folder != null && !Files.isDirectory(folder),
        "no folder " + folder + " to write the picture to");
  }

  static void refuseIf(boolean wrong, String why) throws UsageException {
    if (wrong) {
      throw new UsageException(why);
    }
  }

  /** Refuses a duration that is too short or too long. */
  static void time(String option, Duration time, Duration least) throws UsageException {
    refuseIf(
        time.compareTo(least) < 0 || time.compareTo(LONGEST) > 0,
        "%s is %s, not from %s to 100 d"
            .formatted(option, Durations.exact(time), Durations.exact(least)));
  }
}
