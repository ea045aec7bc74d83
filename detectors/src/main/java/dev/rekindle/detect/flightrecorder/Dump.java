package dev.rekindle.detect.flightrecorder;

import java.util.Map;

/**
 * The dump of one rank.
 *
 * @param rank its global rank
 * @param groups the groups that it is in, as far as the dump has numbers for them
 * @param newest when its newest operation was enqueued, in nanoseconds since the epoch; 0 for none
 * @param pattern whether it still makes the calls that it has made before
 */
public record Dump(
    int rank, Map<ProcessGroup, GroupProgress> groups, long newest, CallPattern pattern) {
  public Dump {
    groups = Map.copyOf(groups);
  }

  /** One of whose calls not enough is known to see whether they repeat. */
  public Dump(int rank, Map<ProcessGroup, GroupProgress> groups, long newest) {
    this(rank, groups, newest, CallPattern.UNKNOWN);
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
