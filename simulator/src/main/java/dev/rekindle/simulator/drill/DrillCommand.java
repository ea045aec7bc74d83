package dev.rekindle.simulator.drill;

import dev.rekindle.cli.UsageException;
import dev.rekindle.simulator.Simulation;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
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
      "1:it did not",
      "2:wrong usage"
    })
public final class DrillCommand implements Callable<Integer> {
  /** How long training is watched after it is past its old step: nothing must go wrong again. */
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

  @Option(names = "--without-rekindle", description = "The same fault without the controller.")
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

  @Option(
      names = "--page",
      paramLabel = "FILE",
      description =
          "Write the page of the drill's recoveries, as HTML that needs nothing beside it.")
  private @Nullable Path page;

  @Option(
      names = "--serve",
      description = "Serve the pages on this machine until Ctrl-C, and print where.")
  private boolean serve;

  @Option(
      names = "--port",
      paramLabel = "N",
      description = "Port to serve at; without it, or 0, one that is free.")
  private int port;

  private @Nullable FinalObjects objects;

  private final PrintStream out;
  private final Terminal terminal;

  /** Writes to the standard output. */
  public DrillCommand(PrintStream out) {
    this(out, Terminal.detect());
  }

  DrillCommand(PrintStream out, Terminal terminal) {
    this.out = out;
    this.terminal = terminal;
  }

  @Override
  public Integer call() throws UsageException {
    if (list) {
      for (Scenario each : Scenario.values()) {
        out.println("%-18s  %s".formatted(each.word(), each.what()));
      }
      return 0;
    }
    int code = drill();
    if (page != null) {
      write(page);
    }
    if (serve) {
      serve();
    }
    return code;
  }

  private void write(Path file) throws UsageException {
    try {
      Files.writeString(file, left().page(scenario));
    } catch (IOException e) {
      throw UsageException.of(file + " cannot be written", e);
    }
    if (!json) {
      out.println("The page of it is in " + file);
    }
  }

  private void serve() throws UsageException {
    try (PageServer server = PageServer.start(left(), port)) {
      out.println(
          (json ? "" : "The pages of it are at ") + server.url() + (json ? "" : " until Ctrl-C"));
      out.flush();
      new CountDownLatch(1).await();
    } catch (IOException e) {
      throw UsageException.of("port " + port + " cannot be served at", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private FinalObjects left() {
    return Objects.requireNonNull(objects, "no drill was run");
  }

  /** The drill alone, without a page; the exit code of it. */
  public int drill() {
    return drill(output()).recovered() ? 0 : 1;
  }

  private Output output() {
    if (json) {
      return new JsonOutput(out);
    }
    AnsiColors paint = new AnsiColors(terminal.colours() && !colourless);
    boolean reader = terminal.present() && !fast;
    return new TextOutput(out, paint, reader ? Pace.forAReader() : Pace.NONE);
  }

  private Result drill(Output output) {
    long began = System.nanoTime();
    int controllers = withoutRekindle ? 0 : DrillSetup.CONTROLLERS;
    output.begin(controllers);
    try (Simulation simulation = Simulation.of(DrillSetup.setup(scenario, seed, controllers))) {
      Instant start = simulation.now();
      ClusterReporter reporter = new ClusterReporter(simulation, output::event);
      DrillCluster scene = DrillCluster.train(simulation, reporter, seed);
      Instant struck = simulation.now();
      output.strike(scenario, struck);
      scenario.strike(scene);
      if (scene.until(reporter::over)) {
        scene.runFor(SETTLE);
      }
      Instant up = Objects.requireNonNullElse(reporter.trainsAgain(), simulation.now());
      Result result =
          new Result(
              reporter.reached(),
              simulation.training(DrillSetup.JOB).step(),
              reporter.past(),
              Duration.between(struck, up),
              simulation.recoveries(DrillSetup.JOB),
              reporter.created(),
              Duration.between(start, simulation.now()));
      output.end(result, Duration.ofNanos(System.nanoTime() - began));
      objects = FinalObjects.of(simulation, reporter.created());
      return result;
    }
  }
}
