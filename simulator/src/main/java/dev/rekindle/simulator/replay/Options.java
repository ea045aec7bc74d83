package dev.rekindle.simulator.replay;

import dev.rekindle.cli.UsageException;
import dev.rekindle.detect.ShortDuration;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * What the command line asks for, with the defaults filled in. The groups are those of the help.
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

  @Option(
      names = "--generate",
      paramLabel = "MIX",
      description = "Only print a trace of this mix: llama3.")
  private String generate = "";

  @Option(
      names = "--job-nodes",
      paramLabel = "N",
      description =
          "Nodes of the job, one rank on each (nine tenths of the nodes in the trace; llama3: from"
              + " --gpus).")
  private @Nullable Integer jobNodes;

  @Option(names = "--spares", paramLabel = "N", description = "Nodes beyond those (a tenth).")
  private @Nullable Integer spares;

  @Option(
      names = "--gpus-per-node",
      paramLabel = "N",
      description = "GPUs of a node (${DEFAULT-VALUE}).")
  private int gpusPerNode = 8;

  @Option(
      names = "--gpus",
      paramLabel = "N",
      description = "llama3: GPUs of the job (${DEFAULT-VALUE}).")
  private int gpus = LlamaMix.GPUS;

  @Option(
      names = "--days",
      paramLabel = "D",
      description = "Stop after so many days (the whole trace; llama3: 54).")
  private @Nullable Double days;

  @Option(names = "--seed", paramLabel = "N", description = "Of all chance (${DEFAULT-VALUE}).")
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
    @Option(names = "--step", paramLabel = "T", description = "One training step (10s).")
    private Duration step = Duration.ofSeconds(10);

    @Option(
        names = "--checkpoint-interval",
        paramLabel = "T",
        description = "Training between two checkpoints (30m).")
    private Duration checkpointInterval = Duration.ofMinutes(30);

    @Option(
        names = "--checkpoint-write",
        paramLabel = "T",
        description = "Writing one; training waits (3s).")
    private Duration checkpointWrite = Duration.ofSeconds(3);

    @Option(
        names = "--start",
        paramLabel = "T",
        description = "From a pod's place to the rendezvous (4m).")
    private Duration start = Duration.ofMinutes(4);

    @Option(names = "--load", paramLabel = "T", description = "Reading the checkpoint (1m).")
    private Duration load = Duration.ofMinutes(1);

    @Option(
        names = "--nccl-timeout",
        paramLabel = "T",
        description = "How long ranks wait for a lost peer (10m).")
    private Duration collective = Duration.ofMinutes(10);

    @Option(
        names = "--stall",
        paramLabel = "T",
        description = "No step for so long counts as a hang (10m).")
    private Duration stall = Duration.ofMinutes(10);

    @Option(
        names = "--max-fenced",
        paramLabel = "N",
        description = "Nodes that may be fenced at one time (as many as there are spares).")
    private @Nullable Integer maxFenced;

    @Option(
        names = "--operator-rate",
        paramLabel = "N",
        description = "Pods that the training operator creates in a second (${DEFAULT-VALUE}).")
    private int operatorRate = 20;

    @Option(
        names = "--unknown",
        paramLabel = "KIND",
        description =
            "What a row is that does not say what failed: gpu-lost, ecc, nic-down, node-dead, crash"
                + " or hang (node-dead).",
        converter = FaultKind.Converter.class,
        completionCandidates = FaultKind.Words.class)
    private FaultKind unknown = FaultKind.NODE_DEAD;
  }

  private static final class Person {
    @Option(
        names = "--notice",
        paramLabel = "T",
        description = "From the end of training to a person told (15m).")
    private Duration notice = Duration.ofMinutes(15);

    @Option(
        names = "--respond",
        paramLabel = "T",
        description = "From there to the person at work (1h).")
    private Duration respond = Duration.ofHours(1);

    @Option(
        names = "--manual-restart",
        paramLabel = "T",
        description = "From there to the job resumed (10m).")
    private Duration manualRestart = Duration.ofMinutes(10);

    @Option(
        names = "--curve",
        paramLabel = "T,T,...",
        description =
            "Other times of response to compare with; none: no comparison"
                + " (0,15m,30m,1h,2h,4h,8h).")
    private String curve = "0,15m,30m,1h,2h,4h,8h";
  }

  private static final class Output {
    @Option(names = "--svg", paramLabel = "FILE", description = "A picture of the timeline.")
    private @Nullable Path svg;

    @Option(names = "--json", description = "For machines.")
    private boolean json;
  }

  /** Refuses what cannot be meant. */
  void check() throws UsageException {
    String source = source();
    if (!trace.isEmpty() && generate()) {
      throw new UsageException("one trace at a time, not " + TraceReader.shown(trace) + " as well");
    }
    if (source.isEmpty()) {
      throw new UsageException("which trace?");
    }
    if (generate() && !source.equals(LLAMA3)) {
      throw new UsageException(
          "the only mix to generate is llama3, not " + TraceReader.shown(source));
    }
    number("--job-nodes", jobNodes, 1, MAX_NODES);
    number("--spares", spares, 0, MAX_NODES);
    number("--gpus-per-node", gpusPerNode, 1, MAX_GPUS_PER_NODE);
    number("--gpus", gpus, 1, MAX_NODES * MAX_GPUS_PER_NODE);
    number("--max-fenced", assumed.maxFenced, 0, MAX_NODES);
    number("--operator-rate", assumed.operatorRate, 1, 100_000);
    if (days != null && !(days > 0 && days <= TraceReader.MAX_DAYS)) {
      throw new UsageException(
          "--days is %s, not above 0 and at most %.0f".formatted(days, TraceReader.MAX_DAYS));
    }
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
    if (assumed.checkpointInterval.compareTo(assumed.step) < 0) {
      throw new UsageException("--checkpoint-interval is shorter than --step");
    }
    if (assumed.stall.compareTo(assumed.checkpointWrite) <= 0) {
      throw new UsageException(
          "--stall must be longer than --checkpoint-write, or writing is a hang");
    }
  }

  private static void number(String option, @Nullable Integer value, int least, int most)
      throws UsageException {
    if (value != null) {
      UsageException.checkRange(option, value, least, most);
    }
  }

  private static void time(String option, Duration time, Duration least) throws UsageException {
    if (time.compareTo(least) < 0 || time.compareTo(LONGEST) > 0) {
      throw new UsageException(
          "%s is %s, not from %s to 100 d"
              .formatted(option, Durations.exact(time), Durations.exact(least)));
    }
  }

  private String source() {
    return generate() ? generate : trace;
  }

  boolean generate() {
    return !generate.isEmpty();
  }

  boolean json() {
    return output.json;
  }

  Optional<Path> svg() {
    return Optional.ofNullable(output.svg);
  }

  /** The times of response to compare with. */
  List<Duration> curve() throws UsageException {
    List<Duration> times = new ArrayList<>();
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
    return times.stream().distinct().sorted().toList();
  }

  /** The generated trace as text: the GPUs asked for are all there are. */
  String generated() throws UsageException {
    int nodes = nodes(gpus);
    return TraceGenerator.csv(
        TraceGenerator.llama3(nodes, gpusPerNode, days == null ? LlamaMix.DAYS : days, seed));
  }

  /** What is to be replayed. */
  Plan plan() throws UsageException {
    return source().equals(LLAMA3) ? llama3() : fromFile(Path.of(trace));
  }

  private Plan llama3() throws UsageException {
    int nodes = jobNodes == null ? nodes(gpus) : jobNodes;
    Assumptions a = assumptions(nodes, spares == null ? tenth(nodes) : spares);
    double length = days == null ? LlamaMix.DAYS : days;
    Trace generated =
        Trace.of(TraceGenerator.llama3(a.fleet(), gpusPerNode, length, seed), 0, List.of());
    return Plan.of(LLAMA3, a, generated, Outage.days(length));
  }

  private Plan fromFile(Path file) throws UsageException {
    Trace read = TraceReader.read(file);
    int failing = read.nodes().size();
    int nodes;
    int extra;
    if (jobNodes == null) {
      extra = spares == null ? tenth(failing) : spares;
      nodes = Math.max(1, failing - extra);
    } else {
      nodes = jobNodes;
      extra = spares == null ? Math.max(tenth(nodes), failing - nodes) : spares;
    }
    Duration length = days == null ? read.length() : Outage.days(days);
    Path name = file.getFileName();
    return Plan.of(
        name == null ? file.toString() : name.toString(), assumptions(nodes, extra), read, length);
  }

  private int nodes(int gpuCount) throws UsageException {
    int nodes = Math.ceilDiv(gpuCount, gpusPerNode);
    if (nodes > MAX_NODES) {
      throw new UsageException("%d nodes are more than %d".formatted(nodes, MAX_NODES));
    }
    return nodes;
  }

  private static int tenth(int nodes) {
    return Math.ceilDiv(nodes, 10);
  }

  private Assumptions assumptions(int nodes, int extra) throws UsageException {
    if (nodes + extra > MAX_NODES) {
      throw new UsageException(
          "a fleet of %d nodes is more than %d".formatted(nodes + extra, MAX_NODES));
    }
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
