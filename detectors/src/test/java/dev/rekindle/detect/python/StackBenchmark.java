package dev.rekindle.detect.python;

import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * What it takes to read the Python stacks of processes, as agents do once a job stalls: {@code
 * StackBenchmark ROUNDS PID...}. Each round reads the stack of each process once. Wall and
 * processor time of a round, and of the first one, in which the agent has read none before.
 */
public final class StackBenchmark {
  private static final double MILLI = 1e6;

  private StackBenchmark() {}

  /**
   * Measures.
   *
   * @param args the number of rounds, and processes
   */
  public static void main(String[] args) {
    int rounds = Integer.parseInt(args[0]);
    List<Long> pids = Arrays.stream(args).skip(1).map(Long::valueOf).toList();
    var stacks = new PythonStacks(Path.of("/proc"));
    var threads = ManagementFactory.getThreadMXBean();
    double[] wall = new double[rounds];
    double[] used = new double[rounds];
    int frames = 0;
    for (int i = 0; i < rounds; i++) {
      long began = System.nanoTime();
      long cpu = threads.getCurrentThreadCpuTime();
      frames = pids.stream().mapToInt(pid -> stacks.of(pid).frames().size()).sum();
      used[i] = (threads.getCurrentThreadCpuTime() - cpu) / MILLI;
      wall[i] = (System.nanoTime() - began) / MILLI;
    }
    System.out.printf(
        Locale.ROOT,
        "%d processes, %d frames: first %.1f ms (%.1f ms of a processor); then in the middle %.2f"
            + " ms (%.2f ms), at most %.2f ms%n",
        pids.size(),
        frames,
        wall[0],
        used[0],
        middle(wall),
        middle(used),
        Arrays.stream(wall).skip(1).max().orElse(0));
  }

  private static double middle(double[] values) {
    var sorted = Arrays.stream(values).skip(1).sorted().toArray();
    return sorted.length == 0 ? 0 : sorted[sorted.length / 2];
  }
}
