package dev.rekindle.simulator.replay;

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
 * What the command line asks for, with the defaults filled in. The groups are those of the help;
 * what that says of each option is in {@code options.properties}.
 */
final class Options {
  static final String LLAMA3 = "llama3";

  private static final int MAX_NODES = 10_000;
  private static final int MAX_CURVE = 16;
  private static final int MAX_GPUS_PER_NODE = 72;
  private static final Duration TICK = Duration.ofMillis(100);
  private static final Duration LONGEST = Duration.ofDays(100);

  @Parameters(
      arity = "0..1",
      paramLabel = "TRACE",
      description = "A file of comma-separated values, or llama3.")
  private String trace = "";

  @Option(names = "--generate", paramLabel = "MIX")
  private String generate = "";

  @Option(names = "--job-nodes", paramLabel = "N")
  private @Nullable Integer jobNodes;

  @Option(names = "--spares", paramLabel = "N")
  private @Nullable Integer spares;

  @Option(names = "--gpus-per-node", paramLabel = "N")
  private int gpusPerNode = 8;

  @Option(names = "--gpus", paramLabel = "N")
  private int gpus = TraceGenerator.GPUS;

  @Option(names = "--days", paramLabel = "D")
  private @Nullable Double days;

  @Option(names = "--seed", paramLabel = "N")
  private long seed = 1;

  @ArgGroup(
      validate = false,
      heading = "%nAssumptions; a duration T is written as 90s, 30m, 1h30m or 2d:%n")
  private Assumed assumed = new Assumed();

  @ArgGroup(validate = false, heading = "%nWithout the controller:%n")
  private Person person = new Person();

  @ArgGroup(validate = false, heading = "%nOutput:%n")
  private Output output = new Output();

  private static final class Assumed {
    @Option(names = "--step", paramLabel = "T")
    private Duration step = Duration.ofSeconds(10);

    @Option(names = "--checkpoint-interval", paramLabel = "T")
    private Duration checkpointInterval = Duration.ofMinutes(30);

    @Option(names = "--checkpoint-write", paramLabel = "T")
    private Duration checkpointWrite = Duration.ofSeconds(3);

    @Option(names = "--start", paramLabel = "T")
    private Duration start = Duration.ofMinutes(4);

    @Option(names = "--load", paramLabel = "T")
    private Duration load = Duration.ofMinutes(1);

    @Option(names = "--nccl-timeout", paramLabel = "T")
    private Duration collective = Duration.ofMinutes(10);

    @Option(names = "--stall", paramLabel = "T")
    private Duration stall = Duration.ofMinutes(10);

    @Option(names = "--max-fenced", paramLabel = "N")
    private @Nullable Integer maxFenced;

    @Option(names = "--operator-rate", paramLabel = "N")
    private int operatorRate = 20;

    @Option(
        names = "--unknown",
        paramLabel = "KIND",
        converter = FaultKind.Converter.class,
        completionCandidates = FaultKind.Words.class)
    private FaultKind unknown = FaultKind.NODE_DEAD;
  }

  private static final class Person {
    @Option(names = "--notice", paramLabel = "T")
    private Duration notice = Duration.ofMinutes(15);

    @Option(names = "--respond", paramLabel = "T")
    private Duration respond = Duration.ofHours(1);

    @Option(names = "--manual-restart", paramLabel = "T")
    private Duration manualRestart = Duration.ofMinutes(10);

    @Option(names = "--curve", paramLabel = "T,T,...")
    private String curve = "0,15m,30m,1h,2h,4h,8h";
  }

  private static final class Output {
    @Option(names = "--svg", paramLabel = "FILE")
    private @Nullable Path svg;

    @Option(names = "--json")
    private boolean json;
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
    number("--job-nodes", jobNodes, 1, MAX_NODES);
    number("--spares", spares, 0, MAX_NODES);
    number("--gpus-per-node", gpusPerNode, 1, MAX_GPUS_PER_NODE);
    number("--gpus", gpus, 1, MAX_NODES * MAX_GPUS_PER_NODE);
    number("--max-fenced", assumed.maxFenced, 0, MAX_NODES);
    number("--operator-rate", assumed.operatorRate, 1, 100_000);
    refuseIf(
        days != null && !(days > 0 && days <= TraceReader.MAX_DAYS),
        "--days is %s, not above 0 and at most %.0f".formatted(days, TraceReader.MAX_DAYS));
    time("--step", assumed.step, TICK);
    time("--checkpoint-interval", assumed.checkpointInterval, TICK);
    time("--checkpoint-write", assumed.checkpointWrite, Duration.ZERO);
    time("--start", assumed.start, Duration.ZERO);
    time("--load", assumed.load, Duration.ZERO);
    time("--nccl-timeout", assumed.collective, Duration.ofSeconds(1));
    time("--stall", assumed.stall, Duration.ofMinutes(1));
    time("--notice", person.notice, Duration.ZERO);
    time("--respond", person.respond, Duration.ZERO);
    time("--manual-restart", person.manualRestart, Duration.ZERO);
    refuseIf(
        assumed.checkpointInterval.compareTo(assumed.step) < 0,
        "--checkpoint-interval is shorter than --step");
    refuseIf(
        assumed.stall.compareTo(assumed.checkpointWrite) <= 0,
        "--stall must be longer than --checkpoint-write, or writing is a hang");
  }

  private static void refuseIf(boolean wrong, String why) throws UsageException {
    if (wrong) {
      throw new UsageException(why);
    }
  }

  private static void number(String option, @Nullable Integer value, int least, int most)
      throws UsageException {
    if (value != null) {
      UsageException.checkRange(option, value, least, most);
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

  boolean json() {
    return output.json;
  }

  /** Where the picture goes; absent for none. */
  @Nullable Path svg() throws UsageException {
    Path folder = output.svg == null ? null : output.svg.toAbsolutePath().getParent();
    // Better refused now than after the replay.
    refuseIf(
        folder != null && !Files.isDirectory(folder),
        "no folder " + folder + " to write the picture to");
    return output.svg;
  }

  /** The times of response to compare with. */
  List<Duration> curve() throws UsageException {
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
    return List.copyOf(times);
  }

  /** The generated trace as text: the GPUs asked for are all there are. */
  String generated() throws UsageException {
    return TraceGenerator.csv(
        TraceGenerator.llama3(nodesOfGpus(), gpusPerNode, daysOr(TraceGenerator.DAYS), seed));
  }

  /** What is to be replayed. */
  Plan plan() throws UsageException {
    return trace.equals(LLAMA3) ? llama3() : fromFile(Path.of(trace));
  }

  private Plan llama3() throws UsageException {
    int nodes = jobNodes == null ? nodesOfGpus() : jobNodes;
    Assumptions a = assumptions(nodes, spares == null ? tenth(nodes) : spares);
    double length = daysOr(TraceGenerator.DAYS);
    List<Outage> generated = TraceGenerator.llama3(a.fleet(), gpusPerNode, length, seed);
    return Plan.of(LLAMA3, a, Trace.of(generated, 0, List.of()), Durations.ofDays(length));
  }

  private Plan fromFile(Path file) throws UsageException {
    Trace read = TraceReader.read(file);
    int failing = read.nodes().size();
    int needed = jobNodes == null ? tenth(failing) : tenth(jobNodes);
    if (jobNodes != null) {
      needed = Math.max(needed, failing - jobNodes);
    }
    int extra = spares == null ? needed : spares;
    int nodes = jobNodes == null ? Math.max(1, failing - extra) : jobNodes;
    String name = String.valueOf(file.getFileName() == null ? file : file.getFileName());
    Duration length = days == null ? read.length() : Durations.ofDays(days);
    return Plan.of(name, assumptions(nodes, extra), read, length);
  }

  private double daysOr(double other) {
    return days == null ? other : days;
  }

  private int nodesOfGpus() throws UsageException {
    int nodes = Math.ceilDiv(gpus, gpusPerNode);
    refuseIf(nodes > MAX_NODES, "%d nodes are more than %d".formatted(nodes, MAX_NODES));
    return nodes;
  }

  private static int tenth(int nodes) {
    return Math.ceilDiv(nodes, 10);
  }

  private Assumptions assumptions(int nodes, int extra) throws UsageException {
    refuseIf(
        nodes + extra > MAX_NODES,
        "a fleet of %d nodes is more than %d".formatted(nodes + extra, MAX_NODES));
    return new Assumptions(
        nodes,
        extra,
        gpusPerNode,
        assumed.step,
        assumed.checkpointInterval,
        assumed.checkpointWrite,
        assumed.start,
        assumed.load,
        assumed.collective,
        assumed.stall,
        assumed.maxFenced == null ? extra : assumed.maxFenced,
        assumed.operatorRate,
        person.notice,
        person.respond,
        person.manualRestart,
        assumed.unknown,
        seed);
  }
}
