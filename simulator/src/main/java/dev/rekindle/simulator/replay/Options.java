package dev.rekindle.simulator.replay;

import dev.rekindle.detect.ShortDuration;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What the command line asks for, with the defaults filled in. */
final class Options {
  static final String LLAMA3 = "llama3";

  static final String USAGE =
      """
      Usage: rekindle replay TRACE.csv [OPTION...]      replay a failure trace against the controller, on virtual time
             rekindle replay llama3 [OPTION...]         generate a trace of the Llama 3 mix and replay it
             rekindle replay --generate llama3 [--gpus N] [--days D] [--seed N]     only print that trace

        --job-nodes N            nodes of the job, one rank on each (nine tenths of the nodes in the trace; llama3: from --gpus)
        --spares N               nodes beyond those (a tenth)
        --gpus-per-node N        (8)
        --gpus N                 llama3: GPUs of the job (16384)
        --days D                 stop after so many days (the whole trace; llama3: 54)
        --seed N                 of all chance (1)
      Assumptions:
        --step T                 one training step (10s)
        --checkpoint-interval T  training between two checkpoints (30m)
        --checkpoint-write T     writing one; training waits (3s)
        --start T                from a pod's place to the rendezvous (4m)
        --load T                 reading the checkpoint (1m)
        --nccl-timeout T         how long ranks wait for a lost peer (10m)
        --stall T                steps standing so long count as a hang (10m)
        --max-fenced N           nodes that may be fenced at one time (as many as there are spares)
        --operator-rate N        pods that the training operator creates in a second (20)
        --unknown KIND           what a row is that does not say what failed (node-dead); or gpu-lost, ecc, nic-down, crash, hang
      Without the controller:
        --notice T               from training standing to a person told (15m)
        --respond T              from there to the person at work (1h)
        --manual-restart T       from there to the job resumed (10m)
        --curve T,T,...          other times of response to compare with; none: no comparison (0,15m,30m,1h,2h,4h,8h)
      Output:
        --svg FILE               a picture of the timeline
        --json                   for machines
      Lengths of time: 90s, 30m, 1h30m, 2d.
      """;

  private static final int MAX_NODES = 10_000;
  private static final int MAX_CURVE = 16;
  private static final int MAX_GPUS_PER_NODE = 72;

  private boolean help;
  private boolean generate;
  private boolean json;
  private String source = "";
  private @Nullable Path svg;
  private @Nullable Integer jobNodes;
  private @Nullable Integer spares;
  private @Nullable Integer maxFenced;
  private @Nullable Double days;
  private int gpusPerNode = 8;
  private int gpus = LlamaMix.GPUS;
  private int operatorRate = 20;
  private long seed = 1;
  private Duration step = Duration.ofSeconds(10);
  private Duration checkpointInterval = Duration.ofMinutes(30);
  private Duration checkpointWrite = Duration.ofSeconds(3);
  private Duration start = Duration.ofMinutes(4);
  private Duration load = Duration.ofMinutes(1);
  private Duration collective = Duration.ofMinutes(10);
  private Duration stall = Duration.ofMinutes(10);
  private Duration notice = Duration.ofMinutes(15);
  private Duration respond = Duration.ofHours(1);
  private Duration manualRestart = Duration.ofMinutes(10);
  private FaultKind unknown = FaultKind.NODE_DEAD;
  private List<Duration> curve =
      List.of(
          Duration.ZERO,
          Duration.ofMinutes(15),
          Duration.ofMinutes(30),
          Duration.ofHours(1),
          Duration.ofHours(2),
          Duration.ofHours(4),
          Duration.ofHours(8));

  private Options() {}

  static Options parse(List<String> args) throws Refusal {
    Options options = new Options();
    Deque<String> rest = new ArrayDeque<>(args);
    while (!rest.isEmpty()) {
      options.take(rest.removeFirst(), rest);
    }
    options.check();
    return options;
  }

  private void take(String arg, Deque<String> rest) throws Refusal {
    switch (arg) {
      case "--help", "-h" -> help = true;
      case "--json" -> json = true;
      case "--generate" -> {
        generate = true;
        source(value(arg, rest));
      }
      case "--svg" -> svg = path(value(arg, rest));
      case "--job-nodes" -> jobNodes = number(arg, value(arg, rest), 1, MAX_NODES);
      case "--spares" -> spares = number(arg, value(arg, rest), 0, MAX_NODES);
      case "--gpus-per-node" -> gpusPerNode = number(arg, value(arg, rest), 1, MAX_GPUS_PER_NODE);
      case "--gpus" -> gpus = number(arg, value(arg, rest), 1, MAX_NODES * MAX_GPUS_PER_NODE);
      case "--days" -> days = days(value(arg, rest));
      case "--seed" -> seed = seed(value(arg, rest));
      case "--step" -> step = time(arg, value(arg, rest), Duration.ofMillis(100));
      case "--checkpoint-interval" ->
          checkpointInterval = time(arg, value(arg, rest), Duration.ofMillis(100));
      case "--checkpoint-write" -> checkpointWrite = time(arg, value(arg, rest), Duration.ZERO);
      case "--start" -> start = time(arg, value(arg, rest), Duration.ZERO);
      case "--load" -> load = time(arg, value(arg, rest), Duration.ZERO);
      case "--nccl-timeout" -> collective = time(arg, value(arg, rest), Duration.ofSeconds(1));
      case "--stall" -> stall = time(arg, value(arg, rest), Duration.ofMinutes(1));
      case "--max-fenced" -> maxFenced = number(arg, value(arg, rest), 0, MAX_NODES);
      case "--operator-rate" -> operatorRate = number(arg, value(arg, rest), 1, 100_000);
      case "--unknown" -> unknown = kind(value(arg, rest));
      case "--notice" -> notice = time(arg, value(arg, rest), Duration.ZERO);
      case "--respond" -> respond = time(arg, value(arg, rest), Duration.ZERO);
      case "--manual-restart" -> manualRestart = time(arg, value(arg, rest), Duration.ZERO);
      case "--curve" -> curve = curve(value(arg, rest));
      default -> {
        if (arg.startsWith("-")) {
          throw new Refusal("unknown option " + TraceReader.shown(arg) + "; see --help");
        }
        source(arg);
      }
    }
  }

  private void source(String what) throws Refusal {
    if (!source.isEmpty()) {
      throw new Refusal("one trace at a time, not " + TraceReader.shown(what) + " as well");
    }
    source = what;
  }

  private void check() throws Refusal {
    if (help) {
      return;
    }
    if (source.isEmpty()) {
      throw new Refusal("which trace? see --help");
    }
    if (generate && !source.equals(LLAMA3)) {
      throw new Refusal("the only mix to generate is llama3, not " + TraceReader.shown(source));
    }
    if (checkpointInterval.compareTo(step) < 0) {
      throw new Refusal("--checkpoint-interval is shorter than --step");
    }
    if (stall.compareTo(checkpointWrite) <= 0) {
      throw new Refusal("--stall must be longer than --checkpoint-write, or writing is a hang");
    }
  }

  private static String value(String option, Deque<String> rest) throws Refusal {
    if (rest.isEmpty()) {
      throw new Refusal(option + " needs a value");
    }
    return rest.removeFirst();
  }

  private static int number(String option, String text, int least, int most) throws Refusal {
    try {
      int number = Integer.parseInt(text);
      if (number >= least && number <= most) {
        return number;
      }
    } catch (NumberFormatException e) {
      // Told below, in the same words.
    }
    throw new Refusal(
        "%s: not a number from %d to %d: %s"
            .formatted(option, least, most, TraceReader.shown(text)));
  }

  private static long seed(String text) throws Refusal {
    try {
      return Long.parseLong(text);
    } catch (NumberFormatException e) {
      throw new Refusal("--seed: not a whole number: " + TraceReader.shown(text));
    }
  }

  private static double days(String text) throws Refusal {
    try {
      double days = Double.parseDouble(text);
      if (days > 0 && days <= TraceReader.MAX_DAYS) {
        return days;
      }
    } catch (NumberFormatException e) {
      // Told below, in the same words.
    }
    throw new Refusal(
        "--days: not above 0 and at most %.0f: %s"
            .formatted(TraceReader.MAX_DAYS, TraceReader.shown(text)));
  }

  private static Duration time(String option, String text, Duration least) throws Refusal {
    Duration time;
    try {
      time = ShortDuration.parse(text);
    } catch (IllegalArgumentException e) {
      throw new Refusal(option + ": " + e.getMessage());
    }
    if (time.compareTo(least) < 0 || time.compareTo(Duration.ofDays(100)) > 0) {
      throw new Refusal(
          "%s: from %s to 100 d, not %s".formatted(option, Spans.exact(least), Spans.exact(time)));
    }
    return time;
  }

  private static FaultKind kind(String text) throws Refusal {
    for (FaultKind kind : FaultKind.values()) {
      if (kind.word().equals(text) && kind != FaultKind.AWAY) {
        return kind;
      }
    }
    throw new Refusal("--unknown: no such kind of fault: " + TraceReader.shown(text));
  }

  private static List<Duration> curve(String text) throws Refusal {
    List<Duration> times = new ArrayList<>();
    if (!text.equals("none")) {
      for (String part : text.split(",", MAX_CURVE + 1)) {
        times.add(time("--curve", part, Duration.ZERO));
      }
    }
    return times.stream().distinct().sorted().toList();
  }

  private static Path path(String text) throws Refusal {
    try {
      return Path.of(text);
    } catch (InvalidPathException e) {
      throw new Refusal("not a path: " + TraceReader.shown(text));
    }
  }

  boolean help() {
    return help;
  }

  boolean generate() {
    return generate;
  }

  boolean json() {
    return json;
  }

  Optional<Path> svg() {
    return Optional.ofNullable(svg);
  }

  List<Duration> curve() {
    return curve;
  }

  /** The generated trace as text: the GPUs asked for are all there are. */
  String generated() throws Refusal {
    int nodes = nodes(gpus);
    return TraceGenerator.csv(
        TraceGenerator.llama3(nodes, gpusPerNode, days == null ? LlamaMix.DAYS : days, seed));
  }

  /** What is to be replayed. */
  Plan plan() throws Refusal {
    return source.equals(LLAMA3) ? llama3() : fromFile(path(source));
  }

  private Plan llama3() throws Refusal {
    int nodes = jobNodes == null ? nodes(gpus) : jobNodes;
    Assumptions a = assumptions(nodes, spares == null ? tenth(nodes) : spares);
    double length = days == null ? LlamaMix.DAYS : days;
    Trace trace =
        Trace.of(TraceGenerator.llama3(a.fleet(), gpusPerNode, length, seed), 0, List.of());
    return Plan.of(LLAMA3, a, trace, Outage.days(length));
  }

  private Plan fromFile(Path file) throws Refusal {
    Trace trace = TraceReader.read(file);
    int failing = trace.nodes().size();
    int nodes;
    int extra;
    if (jobNodes == null) {
      extra = spares == null ? tenth(failing) : spares;
      nodes = Math.max(1, failing - extra);
    } else {
      nodes = jobNodes;
      extra = spares == null ? Math.max(tenth(nodes), failing - nodes) : spares;
    }
    Duration length = days == null ? trace.length() : Outage.days(days);
    Path name = file.getFileName();
    return Plan.of(
        name == null ? file.toString() : name.toString(), assumptions(nodes, extra), trace, length);
  }

  private int nodes(int gpuCount) throws Refusal {
    int nodes = Math.ceilDiv(gpuCount, gpusPerNode);
    if (nodes > MAX_NODES) {
      throw new Refusal("%d nodes are more than %d".formatted(nodes, MAX_NODES));
    }
    return nodes;
  }

  private static int tenth(int nodes) {
    return Math.ceilDiv(nodes, 10);
  }

  private Assumptions assumptions(int nodes, int extra) throws Refusal {
    if (nodes + extra > MAX_NODES) {
      throw new Refusal("a fleet of %d nodes is more than %d".formatted(nodes + extra, MAX_NODES));
    }
    return new Assumptions(
        nodes,
        extra,
        gpusPerNode,
        step,
        checkpointInterval,
        checkpointWrite,
        start,
        load,
        collective,
        stall,
        maxFenced == null ? extra : maxFenced,
        operatorRate,
        notice,
        respond,
        manualRestart,
        unknown,
        seed);
  }
}
