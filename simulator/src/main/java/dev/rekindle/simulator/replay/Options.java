package dev.rekindle.simulator.replay;

import static dev.rekindle.cli.UsageException.checkRange;
import static java.util.Objects.requireNonNullElse;

import dev.rekindle.cli.UsageException;
import dev.rekindle.detect.ShortDuration;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
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
  private static final String LLAMA3 = "llama3";
  private static final int MAX_NODES = 10_000;
  private static final int MAX_CURVE = 16;
  private static final int MAX_GPUS_PER_NODE = 72;
  private static final Duration TICK = Duration.ofMillis(100);
  private static final Duration LONGEST = Duration.ofDays(100);

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

  /** Refuses what cannot be meant. */
  void check() throws UsageException {
    refuseIf(
        !trace.isEmpty() && generate(),
        "one trace at a time, not " + TraceReader.shown(trace) + " as well");
    refuseIf(trace.isEmpty() && !generate(), "which trace?");
    refuseIf(
        generate() && !generate.equals(LLAMA3),
        "the only mix to generate is llama3, not " + TraceReader.shown(generate));
    checkRange("--job-nodes", requireNonNullElse(jobNodes, 1), 1, MAX_NODES);
    checkRange("--spares", requireNonNullElse(spares, 0), 0, MAX_NODES);
    checkRange("--gpus-per-node", gpusPerNode, 1, MAX_GPUS_PER_NODE);
    checkRange("--gpus", gpus, 1, MAX_NODES * MAX_GPUS_PER_NODE);
    checkRange("--max-fenced", requireNonNullElse(job.maxFenced, 0), 0, MAX_NODES);
    checkRange("--operator-rate", job.operatorRate, 1, 100_000);
    refuseIf(
        days != null && !(days > 0 && days <= TraceReader.MAX_DAYS),
        "--days is %s, not above 0 and at most %.0f".formatted(days, TraceReader.MAX_DAYS));
    time("--step", job.step, TICK);
    time("--checkpoint-interval", job.checkpointInterval, TICK);
    time("--checkpoint-write", job.checkpointWrite, Duration.ZERO);
    time("--start", job.start, Duration.ZERO);
    time("--load", job.load, Duration.ZERO);
    time("--nccl-timeout", job.ncclTimeout, Duration.ofSeconds(1));
    time("--stall", job.stall, Duration.ofMinutes(1));
    time("--notice", person.notice, Duration.ZERO);
    time("--respond", person.respond, Duration.ZERO);
    time("--manual-restart", person.manualRestart, Duration.ZERO);
    refuseIf(
        job.checkpointInterval.compareTo(job.step) < 0,
        "--checkpoint-interval is shorter than --step");
    refuseIf(
        job.stall.compareTo(job.checkpointWrite) <= 0,
        "--stall must be longer than --checkpoint-write, or writing is a hang");
    Path folder = output.svg == null ? null : output.svg.toAbsolutePath().getParent();
    // Better refused now than after the replay.
    refuseIf(
        folder != null && !Files.isDirectory(folder),
        "no folder " + folder + " to write the picture to");
  }

  private static void refuseIf(boolean wrong, String why) throws UsageException {
    if (wrong) {
      throw new UsageException(why);
    }
  }

  private static void time(String option, Duration time, Duration least) throws UsageException {
    refuseIf(
        time.compareTo(least) < 0 || time.compareTo(LONGEST) > 0,
        "%s is %s, not from %s to 100 d"
            .formatted(option, Durations.exact(time), Durations.exact(least)));
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
          time("--curve", time, Duration.ZERO);
          times.add(time);
        } catch (IllegalArgumentException e) {
          throw new UsageException("--curve: " + e.getMessage());
        }
      }
    }
    return times;
  }

  /** The generated trace as text: the GPUs requested are all there are. */
  String generated() throws UsageException {
    int nodes = nodesOfGpus();
    return TraceGenerator.csv(TraceGenerator.llama3(nodes, gpusPerNode, llama3Days(), seed));
  }

  /** What is to be replayed. */
  Plan plan() throws UsageException {
    return trace.equals(LLAMA3) ? llama3() : fromFile(Path.of(trace));
  }

  private Plan llama3() throws UsageException {
    int nodes = jobNodes == null ? nodesOfGpus() : jobNodes;
    int extra = spares == null ? tenth(nodes) : spares;
    refuseIfTooMany(nodes + extra);
    double length = llama3Days();
    Trace generated =
        Trace.of(TraceGenerator.llama3(nodes + extra, gpusPerNode, length, seed), 0, List.of());
    return Plan.of(LLAMA3, this, nodes, extra, generated, Durations.ofDays(length));
  }

  private Plan fromFile(Path file) throws UsageException {
    Trace read = TraceReader.read(file);
    int failing = read.nodes().size();
    int needed = jobNodes == null ? tenth(failing) : Math.max(tenth(jobNodes), failing - jobNodes);
    int extra = spares == null ? needed : spares;
    int nodes = jobNodes == null ? Math.max(1, failing - extra) : jobNodes;
    refuseIfTooMany(nodes + extra);
    String name = String.valueOf(file.getFileName() == null ? file : file.getFileName());
    Duration length = days == null ? read.length() : Durations.ofDays(days);
    return Plan.of(name, this, nodes, extra, read, length);
  }

  private double llama3Days() {
    return days == null ? TraceGenerator.DAYS : days;
  }

  private int nodesOfGpus() throws UsageException {
    int nodes = Math.ceilDiv(gpus, gpusPerNode);
    refuseIf(nodes > MAX_NODES, "%d nodes are more than %d".formatted(nodes, MAX_NODES));
    return nodes;
  }

  private static int tenth(int nodes) {
    return Math.ceilDiv(nodes, 10);
  }

  private static void refuseIfTooMany(int fleet) throws UsageException {
    refuseIf(fleet > MAX_NODES, "a fleet of %d nodes is more than %d".formatted(fleet, MAX_NODES));
  }
}
