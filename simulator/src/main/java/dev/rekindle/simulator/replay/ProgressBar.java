package dev.rekindle.simulator.replay;

import java.io.PrintStream;
import java.time.Duration;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/** One line on a terminal that says how many days are done, and how many in a second. */
final class ProgressBar {
  private static final int WIDTH = 30;
  private static final long NANOS_BETWEEN = 100_000_000;

  private final PrintStream terminal;
  private final LongSupplier nanos;
  private final double total;
  private final long begun;
  private final Map<Object, Double> done = new HashMap<>();
  private long drawn;

  /**
   * Begins.
   *
   * @param total days of all runs together
   * @param nanos time that has passed, as {@link System#nanoTime} counts it
   */
  ProgressBar(PrintStream terminal, double total, LongSupplier nanos) {
    this.terminal = terminal;
    this.total = total;
    this.nanos = nanos;
    this.begun = nanos.getAsLong();
    this.drawn = begun - NANOS_BETWEEN;
  }

  /** What takes the progress of one of the runs. */
  Consumer<Duration> run(Object which) {
    return elapsed -> tell(which, Outage.days(elapsed));
  }

  private synchronized void tell(Object which, double days) {
    done.put(which, days);
    long now = nanos.getAsLong();
    if (now - drawn >= NANOS_BETWEEN) {
      drawn = now;
      draw(now);
    }
  }

  private void draw(long now) {
    double days = done.values().stream().mapToDouble(Double::doubleValue).sum();
    int full = (int) Math.min(WIDTH, Math.floor(days / total * WIDTH));
    double seconds = (now - begun) / 1e9;
    terminal.print(
        String.format(
            Locale.ROOT,
            "\r[%s%s] %.0f of %.0f days, %.0f days/s ",
            "#".repeat(full),
            ".".repeat(WIDTH - full),
            days,
            total,
            seconds > 0 ? days / seconds : 0));
    terminal.flush();
  }

  /** Leaves the line as it was before. */
  synchronized void clear() {
    terminal.print("\r" + " ".repeat(WIDTH + 60) + "\r");
    terminal.flush();
  }
}
