package dev.rekindle.simulator.chaos;

import dev.rekindle.cli.UsageException;
import dev.rekindle.simulator.process.Reconcilers;
import java.io.PrintStream;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code rekindle simulate}: runs seeds until one breaks an invariant, or all have held. */
@Command(
    name = "simulate",
    description =
        "Runs the controller under random faults and checks its invariants after every event.",
    exitCodeList = {
      "0:every invariant held for every seed",
      "1:one did not; the command that runs that seed again is printed",
      "2:wrong usage"
    })
public final class SimulateCommand implements Callable<Integer> {
  private static final int MOST_THREADS = 256;
  private static final long MOST_SECONDS = 1_000_000;

  @Option(names = "--seeds", paramLabel = "N", description = "How many seeds (${DEFAULT-VALUE}).")
  private long seeds = 1_000;

  @Option(
      names = "--from",
      paramLabel = "SEED",
      description = "The first of them (${DEFAULT-VALUE}); the others follow it.")
  private long from;

  @Option(
      names = "--threads",
      paramLabel = "N",
      description = "How many at a time (one for each processor).")
  private int threads = Runtime.getRuntime().availableProcessors();

  @Option(
      names = "--seconds",
      paramLabel = "N",
      description =
          "Begin no other seed after so many seconds; 0 for no limit (${DEFAULT-VALUE}). The last"
              + " line says how many seeds were run.")
  private long seconds;

  @Option(
      names = "--counts",
      paramLabel = "N",
      description =
          "Print also how often the controller did what in the first N seeds, to compare two"
              + " builds (${DEFAULT-VALUE}).")
  private long counted;

  @Option(
      names = "--trace",
      description = "Print everything that happens; the default for a single seed.")
  private boolean trace;

  @Option(
      names = "--tally",
      hidden = true,
      description = "Print numbers only, for the process that has started this one.")
  private boolean tally;

  private final PrintStream out;
  private final Reconcilers.@Nullable Factory controller;

  /** With the real controller. */
  public SimulateCommand(PrintStream out) {
    this.out = out;
    this.controller = null;
  }

  /** With another controller, in this process. */
  SimulateCommand(PrintStream out, Reconcilers.Factory controller) {
    this.out = out;
    this.controller = controller;
  }

  @Override
  public Integer call() throws UsageException {
    UsageException.checkRange("--seeds", seeds, 1, Long.MAX_VALUE);
    UsageException.checkRange("--threads", threads, 1, Long.MAX_VALUE);
    UsageException.checkRange("--seconds", seconds, 0, MOST_SECONDS);
    UsageException.checkRange("--counts", counted, 0, Long.MAX_VALUE);
    SimulateRuns.Options options =
        new SimulateRuns.Options(
            seeds,
            from,
            Math.min(MOST_THREADS, threads),
            seconds,
            counted,
            trace || (seeds == 1 && !tally),
            tally);
    SimulateRuns runs = new SimulateRuns(options, out);
    try {
      if (controller != null) {
        return runs.here(controller);
      }
      return options.threads() > 1 && !options.trace() && !options.tally()
          ? runs.apart()
          : runs.here(Reconcilers.REAL);
    } catch (InterruptedException stop) {
      Thread.currentThread().interrupt();
      return 1;
    }
  }
}
