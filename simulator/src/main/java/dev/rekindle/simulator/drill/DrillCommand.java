package dev.rekindle.simulator.drill;

import dev.rekindle.simulator.Simulation;
import java.io.PrintStream;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code rekindle drill}: one fault and its recovery, line by line. */
@Command(
    name = "drill",
    description =
        "A training job in a cluster in memory, a fault, and what Rekindle's controller, unchanged,"
            + " does about it. Needs nothing but a JDK.",
    exitCodeList = {
      "0:trained past the step it had reached, and every Recovery ended as Recovered",
      "1:not so",
      "2:wrong usage"
    })
public final class DrillCommand implements Callable<Integer> {
  /** How long training is looked at after it is past its old step: nothing must go wrong again. */
  private static final Duration SETTLE = Duration.ofSeconds(20);

  @Option(
      names = "--scenario",
      paramLabel = "NAME",
      description = "The fault (gpu-lost); --list names them all.",
      converter = Scenario.Converter.class,
      completionCandidates = Scenario.Words.class)
  private Scenario scenario = Scenario.GPU_LOST;

  @Option(names = "--list", description = "One line for each scenario, its name first.")
  private boolean list;

  @Option(
      names = "--seed",
      paramLabel = "N",
      description = "Another run: other nodes, other moments (${DEFAULT-VALUE}).")
  private long seed = 1;

  @Option(names = "--without-rekindle", description = "The same fault where nobody answers it.")
  private boolean withoutRekindle;

  @Option(
      names = "--json",
      description =
          "One JSON object per line: what happened, a summary, and last the Recovery objects.")
  private boolean json;

  @Option(names = "--fast", description = "No pauses on a terminal.")
  private boolean fast;

  @Option(
      names = {"--no-color", "--no-colour"},
      description = "No colours on a terminal.")
  private boolean colourless;

  private final PrintStream out;
  private final Terminal terminal;

  /** Writes to the standard output. */
  public DrillCommand(PrintStream out) {
    this(out, Terminal.look());
  }

  DrillCommand(PrintStream out, Terminal terminal) {
    this.out = out;
    this.terminal = terminal;
  }

  @Override
  public Integer call() {
    if (list) {
      for (Scenario each : Scenario.values()) {
        out.println("%-18s  %s".formatted(each.word(), each.what()));
      }
      return 0;
    }
    return drill(output()).recovered() ? 0 : 1;
  }

  private Output output() {
    if (json) {
      return new JsonOutput(out);
    }
    Paint paint = new Paint(terminal.colours() && !colourless);
    boolean reader = terminal.present() && !fast;
    return new TextOutput(out, paint, reader ? Pace.forAReader() : Pace.NONE);
  }

  private Result drill(Output output) {
    long began = System.nanoTime();
    int controllers = withoutRekindle ? 0 : Site.CONTROLLERS;
    output.begin(controllers);
    try (Simulation simulation = Simulation.of(Site.setup(scenario, seed, controllers))) {
      Instant start = simulation.now();
      Narrator narrator = new Narrator(simulation, output::tell);
      Scene scene = Scene.train(simulation, narrator, seed);
      Instant struck = simulation.now();
      output.strike(scenario, struck);
      scenario.strike(scene);
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
