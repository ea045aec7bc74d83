package dev.rekindle.simulator.replay;

import dev.rekindle.cli.UsageException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** The fleet and the trace that options describe. */
final class PlannedFleet {
  private final Options options;

  PlannedFleet(Options options) {
    this.options = options;
  }

  /** The generated trace as text: the GPUs requested are all there are. */
  String generated() throws UsageException {
    int nodes = nodesOfGpus();
    return TraceGenerator.csv(
        TraceGenerator.llama3(nodes, options.gpusPerNode, llama3Days(), options.seed));
  }

  /** What is to be replayed. */
  Plan plan() throws UsageException {
    return options.trace.equals(OptionBounds.LLAMA3) ? llama3() : fromFile(Path.of(options.trace));
  }

  private Plan llama3() throws UsageException {
    int nodes = options.jobNodes == null ? nodesOfGpus() : options.jobNodes;
    int extra = options.spares == null ? tenth(nodes) : options.spares;
    refuseIfTooMany(nodes + extra);
    double length = llama3Days();
    Trace generated =
        Trace.of(
            TraceGenerator.llama3(nodes + extra, options.gpusPerNode, length, options.seed),
            0,
            List.of());
    return Plan.of(OptionBounds.LLAMA3, options, nodes, extra, generated, Durations.ofDays(length));
  }

  private Plan fromFile(Path file) throws UsageException {
    Trace read = TraceReader.read(file);
    int failing = read.nodes().size();
    int needed =
        options.jobNodes == null
            ? tenth(failing)
            : Math.max(tenth(options.jobNodes), failing - options.jobNodes);
    int extra = options.spares == null ? needed : options.spares;
    int nodes = options.jobNodes == null ? Math.max(1, failing - extra) : options.jobNodes;
    refuseIfTooMany(nodes + extra);
    String name = String.valueOf(file.getFileName() == null ? file : file.getFileName());
    Duration length = options.days == null ? read.length() : Durations.ofDays(options.days);
    return Plan.of(name, options, nodes, extra, read, length);
  }

  private double llama3Days() {
    return options.days == null ? TraceGenerator.DAYS : options.days;
  }

  private int nodesOfGpus() throws UsageException {
    int nodes = Math.ceilDiv(options.gpus, options.gpusPerNode);
    OptionBounds.refuseIf(
        nodes > OptionBounds.MAX_NODES,
        "%d nodes are more than %d".formatted(nodes, OptionBounds.MAX_NODES));
    return nodes;
  }

  private static int tenth(int nodes) {
    return Math.ceilDiv(nodes, 10);
  }

  private static void refuseIfTooMany(int fleet) throws UsageException {
    OptionBounds.refuseIf(
        fleet > OptionBounds.MAX_NODES,
        "a fleet of %d nodes is more than %d".formatted(fleet, OptionBounds.MAX_NODES));
  }
}
