package dev.rekindle.simulator.drill;

import dev.rekindle.simulator.Simulation;
import dev.rekindle.simulator.drill.DrillOptions.UsageException;
import java.io.PrintStream;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;

/** The command {@code drill}. */
public final class DrillCommand {
  /** It recovered. */
  static final int RECOVERED = 0;

  /** It did not. */
  static final int NOT_RECOVERED = 1;

  /** The command line makes no sense. */
  static final int USAGE = 2;

  /** How long training is looked at after it is past its old step: nothing must go wrong again. */
  private static final Duration SETTLE = Duration.ofSeconds(20);

  private static final String HELP =
      """
      Usage: rekindle drill [OPTION...]

      A training job in a cluster in memory, a fault, and what Rekindle's controller, unchanged, does about it. Needs nothing but a JDK.

        --scenario NAME      the fault (gpu-lost); --list names them all
        --list               one line for each scenario, its name first
        --seed N             another run: other nodes, other moments (1)
        --without-rekindle   the same fault where nobody answers it
        --json               one JSON object per line: what happened, a summary, and last the Recovery objects
        --fast               no pauses on a terminal
        --no-color           no colours on a terminal

      Exit code 0: trained past the step it had reached, and every Recovery ended as Recovered. 1: not so. 2: wrong usage.
      """;

  private DrillCommand() {}

  /** Runs it; the exit code comes back. */
  public static int run(List<String> args, PrintStream out) {
    return run(args, out, System.err, Terminal.look());
  }

  static int run(List<String> args, PrintStream out, PrintStream err, Terminal terminal) {
    DrillOptions options;
    try {
      options = DrillOptions.parse(args);
    } catch (UsageException e) {
      err.println("rekindle drill: " + e.getMessage());
      err.println("see: ./rekindle drill --help");
      return USAGE;
    }
    return switch (options.task()) {
      case HELP -> {
        out.print(HELP);
        yield 0;
      }
      case LIST -> {
        for (Scenario scenario : Scenario.values()) {
          out.println("%-18s  %s".formatted(scenario.word(), scenario.what()));
        }
        yield 0;
      }
      case RUN ->
          drill(options, output(options, out, terminal)).recovered() ? RECOVERED : NOT_RECOVERED;
    };
  }

  private static Output output(DrillOptions options, PrintStream out, Terminal terminal) {
    if (options.json()) {
      return new JsonOutput(out);
    }
    Paint paint = new Paint(terminal.colours() && options.colour());
    boolean reader = terminal.present() && !options.fast();
    return new TextOutput(out, paint, reader ? Pace.forAReader() : Pace.NONE);
  }

  private static Result drill(DrillOptions options, Output output) {
    long began = System.nanoTime();
    output.begin(options);
    try (Simulation simulation =
        Simulation.of(Site.setup(options.scenario(), options.seed(), options.controllers()))) {
      Instant start = simulation.now();
      Narrator narrator = new Narrator(simulation, output::tell);
      Scene scene = Scene.train(simulation, narrator, options.seed());
      Instant struck = simulation.now();
      output.strike(options.scenario(), struck);
      options.scenario().strike(scene);
      if (scene.until(narrator::over)) {
        scene.runFor(SETTLE);
      }
      Instant up = Objects.requireNonNullElse(narrator.trainsAgain(), simulation.now());
      Result result =
          new Result(
              narrator.reached(),
              simulation.training(Site.JOB).step(),
              narrator.past(),
              Duration.between(struck, up),
              simulation.recoveries(Site.JOB),
              narrator.created(),
              simulation.job(Site.JOB).uid(),
              Duration.between(start, simulation.now()));
      output.end(result, Duration.ofNanos(System.nanoTime() - began));
      return result;
    }
  }
}
