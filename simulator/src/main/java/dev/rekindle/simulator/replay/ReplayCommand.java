package dev.rekindle.simulator.replay;

import dev.rekindle.cli.UsageException;
import java.io.Console;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.SortedSet;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code rekindle replay}: a failure trace against the controller, on virtual time. */
@Command(
    name = "replay",
    resourceBundle = "dev.rekindle.simulator.replay.options",
    description = {
      "Replays a trace of failures, with and without the controller, on virtual time.",
      "",
      "  replay TRACE.csv           a trace from a file",
      "  replay llama3              generates a trace of the Llama 3 mix and replays it",
      "  replay --generate llama3   only prints that trace (--gpus, --days, --seed)"
    },
    exitCodeList = {"0:replayed", "2:wrong usage, or a trace that cannot be read"})
public final class ReplayCommand implements Callable<Integer> {
  private static final int BAR = 30;

  @Mixin private Options options = new Options();

  private final PrintStream out;
  private final PrintStream err;
  private final boolean terminal;

  /**
   * The result goes to {@code out}, the progress bar to standard error where that is a terminal.
   */
  public ReplayCommand(PrintStream out) {
    this(
        out,
        System.err,
        Optional.ofNullable(System.console()).map(Console::isTerminal).orElse(false));
  }

  ReplayCommand(PrintStream out, PrintStream err, boolean terminal) {
    this.out = out;
    this.err = err;
    this.terminal = terminal;
  }

  @Override
  public Integer call() throws UsageException {
    OptionBounds.check(options);
    out.print(options.generate() ? new PlannedFleet(options).generated() : replayed());
    out.flush();
    return 0;
  }

  private String replayed() throws UsageException {
    SortedSet<Duration> curve = options.curve();
    Plan plan = new PlannedFleet(options).plan();
    Path svg = options.output.svg;
    double days = Durations.days(plan.wall()) * Comparison.runs(plan, curve).size();
    Comparison comparison = Comparison.of(plan, curve, terminal ? bar(days) : _ -> {});
    if (terminal) {
      err.print("\r" + " ".repeat(BAR + 60) + "\r");
      err.flush();
    }
    if (svg != null) {
      try {
        Files.writeString(svg, TimelineSvg.of(comparison));
      } catch (IOException e) {
        throw UsageException.of(svg + " cannot be written", e);
      }
    }
    return options.output.json ? ReplayJson.of(comparison) : ReplayReport.of(comparison);
  }

  /** One line that says how many days of all runs together are done, and how many in a second. */
  private Consumer<Duration> bar(double total) {
    AtomicLong millis = new AtomicLong();
    long begun = System.nanoTime();
    return more -> {
      double days = Durations.days(Duration.ofMillis(millis.addAndGet(more.toMillis())));
      int full = (int) Math.min(BAR, days / total * BAR);
      double seconds = Math.max(1, System.nanoTime() - begun) / 1e9;
      String bar = "#".repeat(full) + ".".repeat(BAR - full);
      err.printf(
          Locale.ROOT, "\r[%s] %.0f of %.0f days, %.0f days/s ", bar, days, total, days / seconds);
      err.flush();
    };
  }
}
