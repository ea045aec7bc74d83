package dev.rekindle.detect.flightrecorder;

import static java.util.Collections.disjoint;
import static java.util.stream.Collectors.toCollection;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeSet;

/**
 * The dump of one rank.
 *
 * @param rank its global rank
 * @param groups the groups that it is in, as far as the dump has numbers for them
 * @param newest when its newest operation was enqueued, in nanoseconds since the epoch; 0 for none
 * @param pattern whether it still makes the calls that it has made before
 * @param unretired whether its newest operation is completed by its state and has not been retired.
 *     PyTorch's watchdog retires within a second what its device has completed. An event that has
 *     not been recorded yet counts as completed as well: then the host is still inside of the call
 */
public record Dump(
    int rank,
    Map<ProcessGroup, GroupProgress> groups,
    long newest,
    CallPattern pattern,
    boolean unretired) {
  /** The watchdog of a process that trains looks several times a second, and may be held up. */
  private static final Duration RETIRED_WITHIN = Duration.ofSeconds(5);

  public Dump {
    groups = Map.copyOf(groups);
  }

  /** One whose operations are as their states say. */
  public Dump(int rank, Map<ProcessGroup, GroupProgress> groups, long newest, CallPattern pattern) {
    this(rank, groups, newest, pattern, /* unretired= */ false);
  }

  /** One of whose calls not enough is known to see whether they repeat. */
  public Dump(int rank, Map<ProcessGroup, GroupProgress> groups, long newest) {
    this(rank, groups, newest, CallPattern.UNKNOWN);
  }

  /**
   * The same, where it is known when it was written: an operation that should have been retired
   * long ago is pending. NCCL connects two ranks in their first send and receive, and keeps the
   * host of one until the other one comes.
   *
   * @param nanos since the epoch, by the clock of its node
   */
  public Dump writtenAt(long nanos) {
    if (!unretired || nanos - newest < RETIRED_WITHIN.toNanos()) {
      return this;
    }
    Map<ProcessGroup, GroupProgress> known = new HashMap<>(groups);
    known.replaceAll((_, progress) -> progress.withPending(newest));
    return new Dump(rank, known, newest, pattern);
  }

  /** When its rank last enqueued an operation or completed one, in nanoseconds since the epoch. */
  public long moved() {
    return groups.values().stream()
        .flatMap(progress -> progress.operations().stream())
        .mapToLong(Collective::moved)
        .reduce(newest, Math::max);
  }

  /**
   * Whether another process wrote the other one, and ran at the same time: what a process has
   * enqueued has the same time, to the nanosecond, in all its dumps.
   */
  public boolean isOfAnotherProcess(Dump other) {
    var mine = created();
    var theirs = other.created();
    return !mine.isEmpty()
        && !theirs.isEmpty()
        && mine.first() <= theirs.last()
        && theirs.first() <= mine.last()
        && disjoint(mine, theirs);
  }

  private NavigableSet<Long> created() {
    return groups.values().stream()
        .flatMap(progress -> progress.operations().stream())
        .map(Collective::created)
        .filter(created -> created > 0)
        .collect(toCollection(TreeSet::new));
  }

  /**
   * Whether its recorder keeps no sends and receives: it is Gloo's, which lists no members of the
   * groups in which it has collectives.
   */
  public boolean withoutPeerCalls() {
    var used =
        groups.entrySet().stream().filter(g -> !g.getValue().operations().isEmpty()).toList();
    return !used.isEmpty() && used.stream().allMatch(g -> g.getKey().ranks().isEmpty());
  }
}
