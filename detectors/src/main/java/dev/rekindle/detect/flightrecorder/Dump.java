package dev.rekindle.detect.flightrecorder;

import java.util.Map;

/**
 * The dump of one rank.
 *
 * @param rank its global rank
 * @param groups the groups that it is in, as far as the dump has numbers for them
 * @param newest when its newest operation was enqueued, in nanoseconds since the epoch; 0 for none
 */
public record Dump(int rank, Map<ProcessGroup, GroupProgress> groups, long newest) {
  public Dump {
    groups = Map.copyOf(groups);
  }
}
