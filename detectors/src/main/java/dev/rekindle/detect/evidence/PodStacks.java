package dev.rekindle.detect.evidence;

import dev.rekindle.api.RankEvidence.Frame;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Semaphore;
import java.util.function.LongFunction;

/**
 * Where the main threads of the ranks of one container stand, by two samples: a thread that is not
 * at the same place in both moves.
 *
 * <p>Samples have a thread of their own. To read a page of a program that is on a network file
 * system may take as long as that does not answer, and what else is found of the rank must not wait
 * for it.
 */
final class PodStacks {
  private final LongFunction<List<Frame>> reader;
  private final List<RankProcess> ranks;
  private final Executor threads;
  private final CompletableFuture<Map<Integer, List<Frame>>> first;
  private CompletableFuture<Map<Integer, List<Frame>>> standing = new CompletableFuture<>();

  private PodStacks(
      LongFunction<List<Frame>> reader, List<RankProcess> ranks, Executor threads, Semaphore free) {
    this.reader = reader;
    this.ranks = ranks;
    this.threads = threads;
    // One thread of a container that hangs is left behind, and so many of them.
    this.first =
        free.tryAcquire()
            ? CompletableFuture.supplyAsync(this::sample, threads)
                .whenComplete((_, _) -> free.release())
            : CompletableFuture.completedFuture(Map.of());
  }

  /**
   * Begins the first sample.
   *
   * @param reader the frames of a process, innermost first
   * @param threads where it may take any time
   * @param free places for threads that hang
   */
  static PodStacks begin(
      LongFunction<List<Frame>> reader, List<RankProcess> ranks, Executor threads, Semaphore free) {
    return new PodStacks(reader, ranks, threads, free);
  }

  /** Begins the second sample, once the first is over. */
  void end() {
    standing = first.thenApplyAsync(this::same, threads);
  }

  /** Whether both samples are taken. */
  boolean isDone() {
    return standing.isDone();
  }

  /** The frames by rank, of those that stand; none until both samples are taken. */
  Map<Integer, List<Frame>> found() {
    return standing.isCompletedExceptionally() ? Map.of() : standing.getNow(Map.of());
  }

  private Map<Integer, List<Frame>> same(Map<Integer, List<Frame>> before) {
    Map<Integer, List<Frame>> now = sample();
    now.entrySet().removeIf(stack -> !stack.getValue().equals(before.get(stack.getKey())));
    return now;
  }

  private Map<Integer, List<Frame>> sample() {
    Map<Integer, List<Frame>> stacks = new HashMap<>();
    ranks.forEach(rank -> stacks.put(rank.rank(), reader.apply(rank.pid())));
    return stacks;
  }
}
