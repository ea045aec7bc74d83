package dev.rekindle.simulator.chaos;

import dev.rekindle.simulator.chaos.SeedRun.Outcome;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.function.Consumer;
import java.util.function.LongFunction;
import java.util.function.LongPredicate;

/**
 * Runs seeds in this process, a given number at a time. Two seeds share nothing, so each gives the
 * same run as alone. Each worker runs on a virtual thread, because fibers switch faster to one.
 */
final class WorkerPool {
  private final LongFunction<Outcome> seedRun;
  private final Consumer<Tally> progress;
  private final long seeds;
  private final long from;
  private final LongPredicate mayBegin;
  private final List<Outcome> bad = new ArrayList<>();
  private Tally sum = Tally.NONE;
  private long begun;

  /**
   * @param seedRun runs one seed
   * @param progress gets the tally of all seeds after each
   */
  WorkerPool(LongFunction<Outcome> seedRun, Consumer<Tally> progress, long seeds, long from) {
    this(seedRun, progress, seeds, from, _ -> true);
  }

  /**
   * The same.
   *
   * @param mayBegin whether that seed may begin, or none any more
   */
  WorkerPool(
      LongFunction<Outcome> seedRun,
      Consumer<Tally> progress,
      long seeds,
      long from,
      LongPredicate mayBegin) {
    this.mayBegin = mayBegin;
    this.seedRun = seedRun;
    this.progress = progress;
    this.seeds = seeds;
    this.from = from;
  }

  /**
   * Runs them in their order; begins no other once one has found something.
   *
   * @param count how many at a time
   */
  void run(int count) throws InterruptedException {
    List<FutureTask<Void>> members = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      FutureTask<Void> member = new FutureTask<>(this::work, null);
      members.add(member);
      var _ = Thread.startVirtualThread(member);
    }
    for (FutureTask<Void> member : members) {
      try {
        member.get();
      } catch (ExecutionException broken) {
        throw new IllegalStateException("the simulator failed", broken.getCause());
      }
    }
  }

  private void work() {
    try {
      for (Optional<Long> seed = next(); seed.isPresent(); seed = next()) {
        ended(seedRun.apply(seed.get()));
      }
    } finally {
      // If this one failed, the others can stop.
      stop();
    }
  }

  private synchronized Optional<Long> next() {
    return begun < seeds && bad.isEmpty() && mayBegin.test(from + begun)
        ? Optional.of(from + begun++)
        : Optional.empty();
  }

  private synchronized void stop() {
    begun = seeds;
  }

  private synchronized void ended(Outcome outcome) {
    sum = sum.and(Tally.of(outcome));
    if (!outcome.good()) {
      bad.add(outcome);
    }
    progress.accept(sum);
  }

  synchronized Tally sum() {
    return sum;
  }

  /** The first seed that was not good; each one before it has come to its end. */
  synchronized Optional<Outcome> bad() {
    return bad.stream().min(Comparator.comparingLong(outcome -> outcome.seed() - from));
  }
}
