package dev.rekindle.simulator.replay;

import dev.rekindle.cli.UsageException;
import java.io.Console;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code rekindle replay}: a failure trace against the controller, on virtual time. */
@Command(
    name = "replay",
    description = {
      "Replays a trace of failures, with and without the controller, on virtual time.",
      "",
      "  replay TRACE.csv           a trace from a file",
      "  replay llama3              generates a trace of the Llama 3 mix and replays it",
      "  replay --generate llama3   only prints that trace (--gpus, --days, --seed)"
    },
    exitCodeList = {"0:replayed", "2:wrong usage, or a trace that cannot be read"})
public final class ReplayCommand implements Callable<Integer> {
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
    options.check();
    if (options.generate()) {
      out.print(options.generated());
    } else {
      replay();
    }
    out.flush();
    return 0;
  }

  private void replay() throws UsageException {
    List<Duration> curve = options.curve();
    Plan plan = options.plan();
    Path folder = options.svg().map(file -> file.toAbsolutePath().getParent()).orElse(null);
    if (folder != null && !Files.isDirectory(folder)) {
      // Better refused now than after the replay.
      throw new UsageException("no folder " + folder + " to write the picture to");
    }
    Comparison comparison = terminal ? watched(curve, plan) : unwatched(curve, plan);
    Optional<Path> svg = options.svg();
    if (svg.isPresent()) {
      write(svg.get(), TimelineSvg.of(comparison));
    }
    out.print(options.json() ? ReplayJson.of(comparison) : ReplayReport.of(comparison));
  }

  private static Comparison unwatched(List<Duration> curve, Plan plan) {
    Consumer<Duration> nobody = elapsed -> {};
    return Comparison.of(plan, curve, run -> nobody);
  }

  private Comparison watched(List<Duration> curve, Plan plan) {
    double days = Outage.days(plan.wall()) * Comparison.runs(curve);
    ProgressBar bar = new ProgressBar(err, days, System::nanoTime);
    try {
      return Comparison.of(plan, curve, bar::run);
    } finally {
      bar.clear();
    }
  }

  private static void write(Path file, String text) throws UsageException {
    try {
      Files.writeString(file, text, StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw UsageException.of(file + " cannot be written", e);
    }
  }
}
