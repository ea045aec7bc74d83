package dev.rekindle.simulator.replay;

import static java.util.concurrent.CompletableFuture.supplyAsync;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * One trace in several worlds.
 *
 * @param plan what was replayed
 * @param worlds the result in each {@link World}, in their order
 * @param curve by a person, over times of response
 */
record Comparison(Plan plan, List<Result> worlds, List<Result> curve) {
  /**
   * Runs them all, as many at a time as there are processors. The order of the runs does not matter
   * to any of them.
   *
   * @param curve times of response, each replayed with a person
   * @param progress gets the time that each run has replayed since it last called, from any thread
   */
  static Comparison of(Plan plan, Collection<Duration> curve, Consumer<Duration> progress) {
    int processors = Runtime.getRuntime().availableProcessors();
    try (ExecutorService pool = Executors.newFixedThreadPool(processors)) {
      BiFunction<Plan, World, CompletableFuture<Result>> run =
          (some, world) -> supplyAsync(() -> Replay.run(some, world, progress), pool);
      var worlds = Stream.of(World.values()).map(world -> run.apply(plan, world)).toList();
      var responses =
          curve.stream().map(t -> run.apply(plan.withRespond(t), World.PERSON)).toList();
      return new Comparison(plan, results(worlds), results(responses));
    }
  }

  private static List<Result> results(List<CompletableFuture<Result>> runs) {
    return runs.stream().map(CompletableFuture::join).toList();
  }

  Result in(World world) {
    return worlds.stream().filter(r -> r.world() == world).findFirst().orElseThrow();
  }

  /** What has stopped the job in any of them. */
  SortedSet<String> causes() {
    SortedSet<String> causes = new TreeSet<>();
    worlds.forEach(result -> causes.addAll(result.byCause().keySet()));
    return causes;
  }
}
