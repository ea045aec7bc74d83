package dev.rekindle.simulator.chaos;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Runs seeds in one process of their own, whose virtual machine has the options that suit them. It
 * has a carrier thread for each seed that runs at a time: the fibers of a seed hand over several
 * times faster where they stay on one carrier. It is one process and not one for each core, since
 * each would compile the same methods.
 */
final class OwnProcess {
  private final Consumer<Tally> progress;
  private final List<String> lines = new ArrayList<>();
  private Tally sum = Tally.NONE;

  /**
   * @param progress gets the tally of the seeds now and then
   */
  OwnProcess(Consumer<Tally> progress) {
    this.progress = progress;
  }

  /**
   * Runs the seeds.
   *
   * @param count how many at a time
   * @param seconds after which no other seed begins; 0 for no limit
   * @param counted of how many of the first is counted what the controller does
   * @return whether every invariant held for every seed
   */
  boolean run(long seeds, long from, int count, long seconds, long counted)
      throws InterruptedException {
    Process process = start(seeds, from, count, seconds, counted);
    try (var lines = process.inputReader()) {
      lines.lines().forEach(this::take);
      return process.waitFor() == 0;
    } catch (IOException cannot) {
      throw new UncheckedIOException(cannot);
    } finally {
      process.destroy();
    }
  }

  private static Process start(long seeds, long from, int count, long seconds, long counted) {
    List<String> command =
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xlog:disable",
            "-XX:+UseSerialGC",
            "-Xmx512m",
            // Hardly anything outlives a seed.
            "-Xmn256m",
            // Much of the time of 20,000 seeds goes into compiling some 1,900 methods, each with
            // all that it calls in it, and into analyses that gain nothing here.
            "-XX:MaxInlineLevel=7",
            "-XX:FreqInlineSize=50",
            "-XX:InlineSmallCode=600",
            "-XX:-DoEscapeAnalysis",
            "-XX:-UseLoopPredicate",
            "-XX:-UseProfiledLoopPredicate",
            "-XX:LoopOptsCount=5",
            "-Djdk.virtualThreadScheduler.parallelism=" + count,
            "-Djdk.virtualThreadScheduler.maxPoolSize=" + count,
            "-cp",
            System.getProperty("java.class.path"),
            SeedsMain.class.getName(),
            "simulate",
            "--seeds",
            Long.toString(seeds),
            "--from",
            Long.toString(from),
            "--threads",
            Integer.toString(count),
            "--seconds",
            Long.toString(seconds),
            "--counts",
            Long.toString(counted),
            "--tally");
    try {
      return new ProcessBuilder(command).redirectErrorStream(true).start();
    } catch (IOException cannot) {
      throw new UncheckedIOException("cannot start " + command.getFirst(), cannot);
    }
  }

  private void take(String line) {
    if (Tally.in(line)) {
      sum = Tally.parse(line);
      progress.accept(sum);
    } else {
      lines.add(line);
    }
  }

  Tally sum() {
    return sum;
  }

  /** What it has said besides. */
  List<String> lines() {
    return lines;
  }
}
