package dev.rekindle.simulator.replay;

import java.io.Console;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** {@code rekindle replay}: a failure trace against the controller, on virtual time. */
public final class ReplayCommand {
  private static final int FINE = 0;
  private static final int REFUSED = 2;

  private ReplayCommand() {}

  /**
   * Runs the command.
   *
   * @param args what follows {@code replay}
   * @param out where the result goes; refusals and the progress bar go to standard error
   * @return 0, or 2 when the arguments make no sense or the trace cannot be read
   */
  public static int run(List<String> args, PrintStream out) {
    boolean terminal = Optional.ofNullable(System.console()).map(Console::isTerminal).orElse(false);
    return run(args, out, System.err, terminal);
  }

  static int run(List<String> args, PrintStream out, PrintStream err, boolean terminal) {
    try {
      Options options = Options.parse(args);
      if (options.help()) {
        out.print(Options.USAGE);
      } else if (options.generate()) {
        out.print(options.generated());
      } else {
        replay(options, out, err, terminal);
      }
      out.flush();
      return FINE;
    } catch (Refusal e) {
      err.println("rekindle replay: " + e.getMessage());
      return REFUSED;
    }
  }

  private static void replay(Options options, PrintStream out, PrintStream err, boolean terminal)
      throws Refusal {
    Plan plan = options.plan();
    Path folder = options.svg().map(file -> file.toAbsolutePath().getParent()).orElse(null);
    if (folder != null && !Files.isDirectory(folder)) {
      // Better told now than after the replay.
      throw new Refusal("no folder " + folder + " to write the picture to");
    }
    Comparison comparison = terminal ? watched(options, plan, err) : unwatched(options, plan);
    Optional<Path> svg = options.svg();
    if (svg.isPresent()) {
      write(svg.get(), TimelineSvg.of(comparison));
    }
    out.print(options.json() ? ReplayJson.of(comparison) : ReplayReport.of(comparison));
  }

  private static Comparison unwatched(Options options, Plan plan) {
    Consumer<Duration> nobody = elapsed -> {};
    return Comparison.of(plan, options.curve(), run -> nobody);
  }

  private static Comparison watched(Options options, Plan plan, PrintStream err) {
    double days = Outage.days(plan.wall()) * Comparison.runs(options.curve());
    ProgressBar bar = new ProgressBar(err, days, System::nanoTime);
    try {
      return Comparison.of(plan, options.curve(), bar::run);
    } finally {
      bar.clear();
    }
  }

  private static void write(Path file, String text) throws Refusal {
    try {
      Files.writeString(file, text, StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new Refusal(file + " cannot be written: " + e.getClass().getSimpleName());
    }
  }
}
