package dev.rekindle.simulator.chaos;

import dev.rekindle.simulator.chaos.SeedRun.Outcome;
import dev.rekindle.simulator.engine.Loop;
import dev.rekindle.simulator.process.Reconcilers;
import dev.rekindle.simulator.world.SimEvent;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Runs the seeds of {@code rekindle simulate}, and prints how they fared. */
final class SimulateRuns {
  private static final long NANOS = 1_000_000_000L;

  /**
   * What the command line requests.
   *
   * @param from the first seed
   * @param threads how many seeds at a time
   * @param seconds after which no other seed begins; 0 for no limit
   * @param counted of how many of the first seeds is counted what the controller does: they are run
   *     in any case
   * @param trace whether everything that happens is printed
   * @param tally whether only numbers are printed, for the process that has started this one
   */
  record Options(
      long seeds,
      long from,
      int threads,
      long seconds,
      long counted,
      boolean trace,
      boolean tally) {
    boolean counts(long seed) {
      return seed - from < counted;
    }
  }

  private final Options options;
  private final PrintStream out;
  private final long began = System.nanoTime();
  private long printed = began;

  SimulateRuns(Options options, PrintStream out) {
    this.options = options;
    this.out = out;
  }

  /** In a process of their own. */
  int apart() throws InterruptedException {
    OwnProcess process = new OwnProcess(this::progress);
    boolean held =
        process.run(
            options.seeds(),
            options.from(),
            (int) Math.min(options.threads(), options.seeds()),
            options.seconds(),
            options.counted());
    process.lines().forEach(out::println);
    summary(process.sum(), !held);
    return held ? 0 : 1;
  }

  /** In this process. */
  int here(Reconcilers.Factory controller) throws InterruptedException {
    @Nullable Consumer<SimEvent> listener = options.trace() ? this::print : null;
    WorkerPool crew =
        new WorkerPool(
            seed -> {
              Outcome outcome = SeedRun.run(seed, controller, listener);
              return options.counts(seed) ? outcome : outcome.uncounted();
            },
            this::progress,
            options.seeds(),
            options.from(),
            seed -> options.counts(seed) || timeLeft());
    crew.run(options.trace() ? 1 : options.threads());
    crew.bad().ifPresent(this::print);
    summary(crew.sum(), crew.bad().isPresent());
    return crew.bad().isPresent() ? 1 : 0;
  }

  private boolean timeLeft() {
    return options.seconds() == 0 || System.nanoTime() - began < options.seconds() * NANOS;
  }

  private void print(SimEvent h) {
    double seconds = Duration.between(Loop.T0, h.at()).toMillis() / 1_000.0;
    out.printf(Locale.ROOT, "%9.3f %-10s %-28s %s%n", seconds, h.kind(), h.subject(), h.text());
  }

  private void print(Outcome bad) {
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
    if (now - printed > (options.tally() ? NANOS : 10 * NANOS)) {
      printed = now;
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
    WriteCounts.table(sum.writes()).forEach(out::println);
    sum.hits().forEach((area, count) -> line(count, area.words()));
    sum.dangers().forEach((danger, count) -> line(count, danger.words()));
    sum.stalls().forEach((stall, count) -> line(count, stall.words()));
    trueNames(sum.stalls());
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

  private void trueNames(Map<StallResult, Integer> stalls) {
    int right = count(stalls, StallResult::isTrueName);
    int named = right + count(stalls, StallResult::isFalseName);
    if (named > 0) {
      out.printf(
          Locale.ROOT,
          "%9.1f%% of stalls that named a rank named the true one%n",
          100.0 * right / named);
    }
  }

  private static int count(Map<StallResult, Integer> stalls, Predicate<StallResult> which) {
    return stalls.entrySet().stream()
        .filter(stall -> which.test(stall.getKey()))
        .mapToInt(Map.Entry::getValue)
        .sum();
  }

  private void line(int count, String what) {
    out.printf(Locale.ROOT, "%,10d %s%n", count, what);
  }
}
