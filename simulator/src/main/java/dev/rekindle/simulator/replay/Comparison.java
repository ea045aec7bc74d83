package dev.rekindle.simulator.replay;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;

/**
 * One trace in several worlds.
 *
 * @param plan what was replayed
 * @param worlds the result in each {@link World}, in their order
 * @param curve by a person, over times of response
 */
record Comparison(Plan plan, List<Result> worlds, List<Result> curve) {
  Comparison {
    worlds = List.copyOf(worlds);
    curve = List.copyOf(curve);
  }

  /**
   * Runs them all, as many at a time as there are processors. The order of the runs does not matter
   * to any of them.
   *
   * @param curve times of response, each replayed with a person
   * @param progress gets the time that each run has replayed since it last called, from any thread
   */
  static Comparison of(Plan plan, List<Duration> curve, Consumer<Duration> progress) {
    int processors = Runtime.getRuntime().availableProcessors();
    try (ExecutorService pool = Executors.newFixedThreadPool(processors)) {
      List<CompletableFuture<Result>> runs = new ArrayList<>();
      for (World world : World.values()) {
        runs.add(CompletableFuture.supplyAsync(() -> Replay.run(plan, world, progress), pool));
      }
      for (Duration time : curve) {
        Plan other = plan.responding(time);
        runs.add(
            CompletableFuture.supplyAsync(() -> Replay.run(other, World.PERSON, progress), pool));
      }
      List<Result> results = runs.stream().map(CompletableFuture::join).toList();
      int worlds = World.values().length;
      return new Comparison(
          plan, results.subList(0, worlds), results.subList(worlds, results.size()));
    }
  }

  Result in(World world) {
    return worlds.stream().filter(r -> r.world() == world).findFirst().orElseThrow();
  }
}
