package dev.rekindle.controller.placement.plan;

import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.placement.topology.Fabric;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/**
 * How long a plan takes, in time of a processor, and how it compares with what Kueue's
 * topology-aware scheduling would choose on the trees of the property test. Run by hand, see
 * docs/benchmarks.md.
 */
public final class PlanBenchmark {
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
  private static final int ROUNDS = 40;
  private static final int WARM = 10;
  private static final int GROUP = 32;
  private static final int POD = 128;

  private PlanBenchmark() {}

  /** Prints both tables. */
  public static void main(String[] arguments) {
    for (int vacated : new int[] {1, 8, 64}) {
      time("1,024 nodes, gang of 960", 1_024, 960, vacated);
      time("10,000 nodes, gang of 8,192", 10_000, 8_192, vacated);
      time("10,000 nodes, gang of 1,024", 10_000, 1_024, vacated);
    }
    KueueComparison.print(10_000);
  }

  private static void time(String what, int nodes, int gang, int vacated) {
    long[] micros = new long[ROUNDS];
    int moved = 0;
    for (int round = -WARM; round < ROUNDS; round++) {
      Random random = new Random(round);
      List<NodeView> views = new ArrayList<>();
      for (int i = 0; i < nodes; i++) {
        views.add(RandomTree.node("node-%05d".formatted(i), "l" + i / GROUP, "s" + i / POD, "c0"));
      }
      List<Seat> seats = new ArrayList<>();
      List<Candidate> free = new ArrayList<>();
      List<Integer> lost = new ArrayList<>();
      while (lost.size() < vacated) {
        int rank = random.nextInt(gang);
        if (!lost.contains(rank)) {
          lost.add(rank);
        }
      }
      for (int i = 0; i < nodes; i++) {
        String name = views.get(i).name();
        if (i < gang) {
          seats.add(new Seat("worker-" + i, name, lost.contains(i)));
        } else if (nodes - gang <= vacated || random.nextInt(3) > 0) {
          free.add(new Candidate(name, 1, false, 0));
        }
      }
      long began = THREADS.getCurrentThreadCpuTime();
      Fabric fabric = Fabric.of(RandomTree.KEYS, views);
      moved += GangPlanner.plan(fabric, seats, free).map(p -> p.moves().size()).orElse(0);
      micros[Math.max(0, round)] = (THREADS.getCurrentThreadCpuTime() - began) / 1_000;
    }
    Arrays.sort(micros);
    System.out.printf(
        "%s, %d move: median %.1f ms, most %.1f ms (%d moves planned)%n",
        what, vacated, micros[ROUNDS / 2] / 1e3, micros[ROUNDS - 1] / 1e3, moved);
  }
}
