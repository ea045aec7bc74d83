package dev.rekindle.detect.evidence;

import dev.rekindle.api.RankEvidence.Frame;
import dev.rekindle.detect.python.MainStack;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.LongFunction;

/**
 * Where the main threads of the ranks of one container stand, by two samples: a thread that is not
 * at the same place in both moves. One that is inside of a compiler in either compiles.
 *
 * <p>Samples have a thread of their own. To read a page of a program that is on a network file
 * system may take as long as that does not answer, and what else is found of the rank must not wait
 * for it.
 */
final class PodStacks {
  private final LongFunction<MainStack> reader;
  private final List<RankProcess> ranks;
  private final Executor threads;
  private final ThreadShare free;
  private final String namespace;
  private final boolean holds;
  private final CompletableFuture<Map<Integer, MainStack>> first;
  private CompletableFuture<Found> found = new CompletableFuture<>();

  /**
   * What both samples show.
   *
   * @param standing the frames by rank, of those that stand
   * @param compiling ranks that compile
   */
  record Found(Map<Integer, List<Frame>> standing, Set<Integer> compiling) {
    static final Found NOTHING = new Found(Map.of(), Set.of());
  }

  private PodStacks(
      LongFunction<MainStack> reader,
      List<RankProcess> ranks,
      Executor threads,
      ThreadShare free,
      String namespace) {
    this.reader = reader;
    this.ranks = ranks;
    this.threads = threads;
    this.free = free;
    this.namespace = namespace;
    // A thread that hangs in either sample is left behind, and so many of them.
    this.holds = free.take(namespace);
    this.first =
        holds
            ? CompletableFuture.supplyAsync(this::sample, threads)
            : CompletableFuture.completedFuture(Map.of());
  }

  /**
   * Begins the first sample. The place of its thread is held until the second is over, so that one
   * follows by {@link #end}.
   *
   * @param reader where the main thread of a process is
   * @param threads where it may take any time
   * @param free places for threads that hang
   * @param namespace of the pod
   */
  static PodStacks begin(
      LongFunction<MainStack> reader,
      List<RankProcess> ranks,
      Executor threads,
      ThreadShare free,
      String namespace) {
    return new PodStacks(reader, ranks, threads, free, namespace);
  }

  /** Begins the second sample, once the first is over; nothing where that had no place. */
  void end() {
    if (!holds) {
      found.complete(Found.NOTHING);
      return;
    }
    found =
        first
            .thenApplyAsync(this::compared, threads)
            .whenComplete((_, _) -> free.giveBack(namespace));
  }

  /** Whether both samples are taken. */
  boolean isDone() {
    return found.isDone();
  }

  /** What they show; nothing until both are taken. */
  Found found() {
    return found.isCompletedExceptionally() ? Found.NOTHING : found.getNow(Found.NOTHING);
  }

  private Found compared(Map<Integer, MainStack> before) {
    Map<Integer, List<Frame>> standing = new HashMap<>();
    Set<Integer> compiling = new HashSet<>();
    sample()
        .forEach(
            (rank, now) -> {
              MainStack then = before.getOrDefault(rank, MainStack.UNKNOWN);
              if (now.frames().equals(then.frames())) {
                standing.put(rank, now.frames());
              }
              if (now.compiles() || then.compiles()) {
                compiling.add(rank);
              }
            });
    return new Found(standing, compiling);
  }

  private Map<Integer, MainStack> sample() {
    Map<Integer, MainStack> threadsOfRanks = new HashMap<>();
    ranks.forEach(rank -> threadsOfRanks.put(rank.rank(), reader.apply(rank.pid())));
    return threadsOfRanks;
  }
}
