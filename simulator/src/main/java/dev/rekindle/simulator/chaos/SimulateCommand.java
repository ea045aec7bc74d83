package dev.rekindle.simulator.chaos;

import dev.rekindle.simulator.Happening;
import dev.rekindle.simulator.chaos.SeedRun.Outcome;
import dev.rekindle.simulator.engine.Loop;
import dev.rekindle.simulator.process.Reconcilers;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** {@code rekindle simulate}: runs seeds until one breaks an invariant, or all have held. */
public final class SimulateCommand {
  private static final int BAD_USAGE = 2;
  private static final long NANOS = 1_000_000_000L;

  private static final String USAGE =
      """
      Usage: rekindle simulate [--seeds N] [--from SEED] [--threads N] [--trace]

        --seeds N      how many seeds (1000)
        --from SEED    the first of them (0); the others follow it
        --threads N    how many at a time (one for each processor)
        --trace        tell everything that happens; the default for a single seed

      Exit code 0: every invariant held for every seed. 1: one did not; the seed's own replay command is told.
      """;

  private record Options(long seeds, long from, int threads, boolean trace, boolean tally) {}

  private interface Work {
    /** Returns the exit code. */
    int run(Options options) throws InterruptedException;
  }

  private SimulateCommand() {}

  /**
   * Runs the command.
   *
   * @return the exit code
   */
  public static int run(List<String> args, PrintStream out) {
    return run(
        args,
        out,
        options ->
            options.threads() > 1 && !options.trace() && !options.tally()
                ? new Runs(options, out).apart()
                : new Runs(options, out).here(Reconcilers.REAL));
  }

  /** The same with another controller, in this process. */
  static int run(List<String> args, PrintStream out, Reconcilers.Factory controller) {
    return run(args, out, options -> new Runs(options, out).here(controller));
  }

  private static int run(List<String> args, PrintStream out, Work work) {
    Options options;
    try {
      Optional<Options> parsed = parse(args);
      if (parsed.isEmpty()) {
        out.print(USAGE);
        return 0;
      }
      options = parsed.get();
    } catch (IllegalArgumentException wrong) {
      out.println("rekindle simulate: " + wrong.getMessage());
      out.print(USAGE);
      return BAD_USAGE;
    }
    try {
      return work.run(options);
    } catch (InterruptedException stop) {
      Thread.currentThread().interrupt();
      return 1;
    }
  }

  private static Optional<Options> parse(List<String> args) {
    long seeds = 1_000;
    long from = 0;
    int threads = Runtime.getRuntime().availableProcessors();
    boolean trace = false;
    boolean tally = false;
    for (int i = 0; i < args.size(); i++) {
      String arg = args.get(i);
      switch (arg) {
        case "--seeds" -> seeds = number(arg, args, ++i, 1);
        case "--from" -> from = number(arg, args, ++i, Long.MIN_VALUE);
        case "--threads" -> threads = (int) Math.min(256, number(arg, args, ++i, 1));
        case "--trace" -> trace = true;
        // For the process that has started this one: numbers only.
        case "--tally" -> tally = true;
        case "--help", "-h" -> {
          return Optional.empty();
        }
        default -> throw new IllegalArgumentException("unknown option " + arg);
      }
    }
    return Optional.of(new Options(seeds, from, threads, trace || (seeds == 1 && !tally), tally));
  }

  private static long number(String option, List<String> args, int at, long least) {
    String text = at < args.size() ? args.get(at) : "";
    try {
      long value = Long.parseLong(text);
      if (value >= least) {
        return value;
      }
    } catch (NumberFormatException noNumber) {
      // told below, like a number out of range
    }
    throw new IllegalArgumentException(option + " needs a number, not '" + text + "'");
  }

  private static final class Runs {
    private final Options options;
    private final PrintStream out;
    private final long began = System.nanoTime();
    private long told = began;

    private Runs(Options options, PrintStream out) {
      this.options = options;
      this.out = out;
    }

    /** In a process of their own. */
    private int apart() throws InterruptedException {
      OwnProcess process = new OwnProcess(this::progress);
      boolean held =
          process.run(
              options.seeds(), options.from(), (int) Math.min(options.threads(), options.seeds()));
      process.told().forEach(out::println);
      summary(process.sum(), !held);
      return held ? 0 : 1;
    }

    /** In this process. */
    private int here(Reconcilers.Factory controller) throws InterruptedException {
      @Nullable Consumer<Happening> listener = options.trace() ? this::tell : null;
      Crew crew =
          new Crew(
              seed -> SeedRun.run(seed, controller, listener),
              this::progress,
              options.seeds(),
              options.from());
      crew.run(options.trace() ? 1 : options.threads());
      crew.bad().ifPresent(this::tell);
      summary(crew.sum(), crew.bad().isPresent());
      return crew.bad().isPresent() ? 1 : 0;
    }

    private void tell(Happening h) {
      double seconds = Duration.between(Loop.T0, h.at()).toMillis() / 1_000.0;
      out.printf(Locale.ROOT, "%9.3f %-10s %-28s %s%n", seconds, h.kind(), h.subject(), h.text());
    }

    private void tell(Outcome bad) {
      bad.violation().ifPresent(v -> out.println("seed " + bad.seed() + ": " + v));
      bad.failure()
          .ifPresent(
              failure -> {
                StringWriter text = new StringWriter();
                failure.printStackTrace(new PrintWriter(text));
                out.println("seed " + bad.seed() + ": the controller threw " + text);
              });
      out.println("replay: " + bad.replay());
    }

    /** Now and then, so that a long run shows that it lives. */
    private void progress(Tally sum) {
      long now = System.nanoTime();
      if (now - told > (options.tally() ? NANOS : 10 * NANOS)) {
        told = now;
        out.println(
            options.tally()
                ? sum.line()
                : String.format(
                    Locale.ROOT,
                    "%,d of %,d seeds, %,d recoveries",
                    sum.seeds(),
                    options.seeds(),
                    sum.recoveries()));
      }
    }

    private void summary(Tally sum, boolean broken) {
      if (options.tally()) {
        out.println(sum.line());
        return;
      }
      sum.dangers()
          .forEach((danger, count) -> out.printf(Locale.ROOT, "%,10d %s%n", count, danger.words()));
      double seconds = Math.max(0.001, (System.nanoTime() - began) / (double) NANOS);
      out.printf(
          Locale.ROOT,
          "%s: %,d seeds, %,d recoveries, %,d faults in %.1f s: %,.0f recoveries/s on %d threads%n",
          broken ? "BROKEN" : "all held",
          sum.seeds(),
          sum.recoveries(),
          sum.faults(),
          seconds,
          sum.recoveries() / seconds,
          options.threads());
    }
  }
}
