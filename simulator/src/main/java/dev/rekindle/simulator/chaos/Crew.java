package dev.rekindle.simulator.chaos;

import dev.rekindle.simulator.Main;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * Runs seeds in processes of their own, one for each core. Fibers hand over several times faster
 * where one carrier has them all to itself, and a virtual machine has one pool of carriers.
 */
final class Crew {
  /** What one of them has come to. */
  record Tally(long seeds, long recoveries, long faults, Map<Danger, Integer> dangers) {
    static final Tally NONE = new Tally(0, 0, 0, Map.of());
    private static final String WORD = "tally ";

    String line() {
      return (WORD + seeds + " " + recoveries + " " + faults + " " + Mischief.format(dangers))
          .strip();
    }

    static boolean in(String line) {
      return line.startsWith(WORD);
    }

    static Tally of(String line) {
      String[] numbers = line.substring(WORD.length()).split(" ", -1);
      return new Tally(
          Long.parseLong(numbers[0]),
          Long.parseLong(numbers[1]),
          Long.parseLong(numbers[2]),
          Mischief.parse(List.of(numbers).subList(3, numbers.length)));
    }

    Tally and(Tally other) {
      return new Tally(
          seeds + other.seeds,
          recoveries + other.recoveries,
          faults + other.faults,
          Mischief.sum(dangers, other.dangers));
    }
  }

  private final Map<Integer, Tally> tallies = new TreeMap<>();
  private final Map<Integer, List<String>> told = new TreeMap<>();
  private final List<Process> processes = new ArrayList<>();
  private final Consumer<Tally> progress;
  private final Optional<AotCache> cache = AotCache.of(System.getProperty("java.class.path", ""));
  private boolean broken;

  /**
   * @param progress told now and then what all of them have come to
   */
  Crew(Consumer<Tally> progress) {
    this.progress = progress;
  }

  /** Runs the seeds in so many processes; ends the others when one of them has found something. */
  void run(long seeds, long from, int count) {
    List<Thread> readers = new ArrayList<>();
    long begin = from;
    for (int i = 0; i < count; i++) {
      long share = seeds / count + (i < seeds % count ? 1 : 0);
      int number = i;
      Process process = start(number, share, begin);
      processes.add(process);
      readers.add(Thread.ofPlatform().start(() -> read(number, share, process)));
      begin += share;
    }
    for (Thread reader : readers) {
      try {
        reader.join();
      } catch (InterruptedException stop) {
        Thread.currentThread().interrupt();
        endAll();
      }
    }
    cache.ifPresent(AotCache::keep);
  }

  private Process start(int number, long seeds, long from) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    cache.ifPresent(c -> command.addAll(c.options(number == 0, seeds)));
    command.addAll(
        List.of(
            "-Xlog:disable",
            "-XX:+UseSerialGC",
            "-Xmx512m",
            // Half of the time of 20,000 seeds went into compiling some 1,900 methods, each with
            // all that it calls in it, and with analyses that gain nothing here.
            "-XX:MaxInlineLevel=7",
            "-XX:FreqInlineSize=50",
            "-XX:InlineSmallCode=600",
            "-XX:-DoEscapeAnalysis",
            "-XX:-UseLoopPredicate",
            "-XX:LoopOptsCount=5",
            "-Djdk.virtualThreadScheduler.parallelism=1",
            "-Djdk.virtualThreadScheduler.maxPoolSize=1",
            "-Dorg.slf4j.simpleLogger.defaultLogLevel=off",
            "-cp",
            System.getProperty("java.class.path"),
            Main.class.getName(),
            "simulate",
            "--seeds",
            Long.toString(seeds),
            "--from",
            Long.toString(from),
            "--threads",
            "1",
            "--tally"));
    try {
      return new ProcessBuilder(command).redirectErrorStream(true).start();
    } catch (IOException cannot) {
      throw new UncheckedIOException("cannot start " + command.getFirst(), cannot);
    }
  }

  private void read(int number, long share, Process process) {
    try (var lines = process.inputReader()) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        take(number, share, line);
      }
      if (process.waitFor() != 0) {
        found();
      }
    } catch (IOException ended) {
      // It was ended because another one has found something.
    } catch (InterruptedException stop) {
      Thread.currentThread().interrupt();
    }
  }

  private synchronized void take(int number, long share, String line) {
    if (tallies.getOrDefault(number, Tally.NONE).seeds() == share) {
      // The virtual machine speaks of the cache that it writes.
      return;
    }
    if (Tally.in(line)) {
      tallies.put(number, Tally.of(line));
      progress.accept(sum());
    } else {
      told.computeIfAbsent(number, _ -> new ArrayList<>()).add(line);
    }
  }

  private synchronized void found() {
    broken = true;
    endAll();
  }

  private void endAll() {
    processes.forEach(Process::destroy);
  }

  synchronized boolean broken() {
    return broken;
  }

  synchronized Tally sum() {
    return tallies.values().stream().reduce(Tally.NONE, Tally::and);
  }

  /** What the first of them that had something to say has said. */
  synchronized List<String> told() {
    return told.isEmpty() ? List.of() : told.values().iterator().next();
  }
}
