package dev.rekindle.simulator.replay;

import dev.rekindle.cli.UsageException;
import dev.rekindle.detect.ShortDuration;
import java.nio.file.Path;
import java.time.Duration;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * What the command line requests, and with it everything that no trace says and every figure hangs
 * on. picocli sets the fields, and nothing changes them. What each of them means is said once, in
 * {@code options.properties}, of which the help is made.
 */
final class Options {
  private static final int MAX_CURVE = 16;

  @Parameters(
      arity = "0..1",
      paramLabel = "TRACE",
      description = "A file of comma-separated values, or llama3.")
  String trace = "";

  @Option(names = "--generate", paramLabel = "MIX")
  String generate = "";

  @Option(names = "--job-nodes", paramLabel = "N")
  @Nullable Integer jobNodes;

  @Option(names = "--spares", paramLabel = "N")
  @Nullable Integer spares;

  @Option(names = "--gpus-per-node", paramLabel = "N")
  int gpusPerNode = 8;

  @Option(names = "--gpus", paramLabel = "N")
  int gpus = TraceGenerator.GPUS;

  @Option(names = "--days", paramLabel = "D")
  @Nullable Double days;

  @Option(names = "--seed", paramLabel = "N")
  long seed = 1;

  @ArgGroup(
      validate = false,
      heading = "%nAssumptions; a duration T is written as 90s, 30m, 1h30m or 2d:%n")
  Job job = new Job();

  @ArgGroup(validate = false, heading = "%nWithout the controller:%n")
  Person person = new Person();

  @ArgGroup(validate = false, heading = "%nOutput:%n")
  Output output = new Output();

  /** What is assumed of the job and its cluster. */
  static final class Job {
    @Option(names = "--step", paramLabel = "T")
    Duration step = Duration.ofSeconds(10);

    @Option(names = "--checkpoint-interval", paramLabel = "T")
    Duration checkpointInterval = Duration.ofMinutes(30);

    @Option(names = "--checkpoint-write", paramLabel = "T")
    Duration checkpointWrite = Duration.ofSeconds(3);

    @Option(names = "--start", paramLabel = "T")
    Duration start = Duration.ofMinutes(4);

    @Option(names = "--load", paramLabel = "T")
    Duration load = Duration.ofMinutes(1);

    @Option(names = "--nccl-timeout", paramLabel = "T")
    Duration ncclTimeout = Duration.ofMinutes(10);

    @Option(names = "--stall", paramLabel = "T")
    Duration stall = Duration.ofMinutes(10);

    @Option(names = "--max-fenced", paramLabel = "N")
    @Nullable Integer maxFenced;

    @Option(names = "--operator-rate", paramLabel = "N")
    int operatorRate = 20;

    @Option(
        names = "--unknown",
        paramLabel = "KIND",
        converter = FaultKind.OfRows.class,
        completionCandidates = FaultKind.OfRows.class)
    FaultKind unknown = FaultKind.NODE_DEAD;

    /** Steps between two checkpoints. */
    int stepsPerCheckpoint() {
      return (int) Math.max(1, checkpointInterval.toMillis() / step.toMillis());
    }
  }

  /** What is assumed of the person who does without the controller. */
  static final class Person {
    @Option(names = "--notice", paramLabel = "T")
    Duration notice = Duration.ofMinutes(15);

    @Option(names = "--respond", paramLabel = "T")
    Duration respond = Duration.ofHours(1);

    @Option(names = "--manual-restart", paramLabel = "T")
    Duration manualRestart = Duration.ofMinutes(10);

    @Option(names = "--curve", paramLabel = "T,T,...")
    String curve = "0,15m,30m,1h,2h,4h,8h";
  }

  /** Where the result goes. */
  static final class Output {
    @Option(names = "--svg", paramLabel = "FILE")
    @Nullable Path svg;

    @Option(names = "--json")
    boolean json;
  }

  boolean generate() {
    return !generate.isEmpty();
  }

  /** The times of response to compare with. */
  SortedSet<Duration> curve() throws UsageException {
    SortedSet<Duration> times = new TreeSet<>();
    if (!person.curve.equals("none")) {
      for (String part : person.curve.split(",", MAX_CURVE + 1)) {
        try {
          Duration time = ShortDuration.parse(part);
          OptionBounds.time("--curve", time, Duration.ZERO);
          times.add(time);
        } catch (IllegalArgumentException e) {
          throw new UsageException("--curve: " + e.getMessage());
        }
      }
    }
    return times;
  }
}
