package dev.rekindle.simulator.replay;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * One trace in several worlds.
 *
 * @param plan what was replayed
 * @param rekindle with the controller
 * @param person without it, by a person
 * @param nobody without either
 * @param curve by a person, over times of response
 */
record Comparison(Plan plan, Result rekindle, Result person, Result nobody, List<Result> curve) {
  Comparison {
    curve = List.copyOf(curve);
  }

  /** How many runs a comparison takes. */
  static int runs(List<Duration> curve) {
    return 3 + curve.size();
  }

  /**
   * Runs them all, as many at a time as there are processors. The order of the runs does not matter
   * to any of them.
   *
   * @param progress gives each run what takes its progress
   */
  static Comparison of(
      Plan plan, List<Duration> curve, Function<Object, Consumer<Duration>> progress) {
    int threads = Math.min(runs(curve), Runtime.getRuntime().availableProcessors());
    try (ExecutorService pool = Executors.newFixedThreadPool(threads)) {
      try {
        Future<Result> rekindle = pool.submit(run(plan, World.REKINDLE, progress));
        Future<Result> person = pool.submit(run(plan, World.PERSON, progress));
        Future<Result> nobody = pool.submit(run(plan, World.NOBODY, progress));
        List<Future<Result>> others = new ArrayList<>();
        for (Duration time : curve) {
          others.add(pool.submit(run(plan.responding(time), World.PERSON, progress)));
        }
        List<Result> results = new ArrayList<>();
        for (Future<Result> other : others) {
          results.add(get(other));
        }
        return new Comparison(plan, get(rekindle), get(person), get(nobody), results);
      } finally {
        pool.shutdownNow();
      }
    }
  }

  private static Callable<Result> run(
      Plan plan, World world, Function<Object, Consumer<Duration>> progress) {
    Consumer<Duration> told = progress.apply(new Object());
    return () -> Replay.run(plan, world, told);
  }

  private static Result get(Future<Result> future) {
    try {
      return future.get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    } catch (ExecutionException e) {
      throw new IllegalStateException("a replay failed: " + e.getCause(), e);
    }
  }
}
