package dev.rekindle.detect.stall;

import dev.rekindle.api.RankCalls;
import dev.rekindle.api.RankEvidence;
import dev.rekindle.detect.flightrecorder.CallPattern;
import dev.rekindle.detect.flightrecorder.CallPattern.Departure;
import dev.rekindle.detect.flightrecorder.Collective;
import dev.rekindle.detect.flightrecorder.Dump;
import dev.rekindle.detect.flightrecorder.GroupProgress;
import dev.rekindle.detect.flightrecorder.ProcessGroup;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Makes dumps of their summaries again, those of one job. Equal lists of ranks are kept once; a few
 * characters can stand for very many ranks, so all lists together are bounded.
 */
final class SummaryReader {
  /** Groups of a job of 10,000 ranks, some hundred of each kind, hold each rank some ten times. */
  private static final int LISTS = 16;

  private static final int LEAST = 4096;

  private final int mostRanks;
  private final Map<String, List<Integer>> lists = new HashMap<>();
  private long left;

  /**
   * For one job.
   *
   * @param mostRanks more ranks than this it cannot have
   */
  SummaryReader(int mostRanks) {
    this.mostRanks = mostRanks;
    this.left = LEAST + (long) LISTS * mostRanks;
  }

  /** The dump that a summary was made of, as far as it goes. */
  Dump read(RankEvidence evidence) {
    Map<ProcessGroup, GroupProgress> groups = new HashMap<>();
    for (var group : evidence.groups()) {
      groups.put(
          key(evidence, group),
          new GroupProgress(
              group.enqueued(),
              group.completed(),
              group.inferred(),
              group.operations().stream().map(SummaryReader::collective).toList()));
    }
    return new Dump(evidence.rank(), groups, 0, pattern(evidence.calls()));
  }

  /** Nanoseconds from the newest operation of each group to the dump, where that is known. */
  Map<ProcessGroup, Long> idle(RankEvidence evidence) {
    Map<ProcessGroup, Long> idle = new HashMap<>();
    for (var group : evidence.groups()) {
      Long millis = group.idleMillis();
      if (millis != null) {
        idle.put(key(evidence, group), TimeUnit.MILLISECONDS.toNanos(millis));
      }
    }
    return idle;
  }

  private static CallPattern pattern(@Nullable RankCalls calls) {
    if (calls == null || calls.period() == 0) {
      return CallPattern.UNKNOWN;
    }
    return calls.since() == 0
        ? new CallPattern(calls.period(), null, 0)
        : new CallPattern(
            calls.period(),
            new Departure(calls.group(), calls.sequence(), calls.called(), calls.usual()),
            calls.since());
  }

  /** The group, the same for all its ranks. */
  ProcessGroup key(RankEvidence evidence, RankEvidence.Group group) {
    var ranks = ranks(group.ranks());
    return new ProcessGroup(
        group.name(), group.description(), ranks.contains(evidence.rank()) ? ranks : List.of());
  }

  private List<Integer> ranks(String text) {
    var known = lists.get(text);
    if (known != null) {
      return known;
    }
    var ranks = RankRuns.read(text, (int) Math.min(mostRanks, left));
    if (ranks.isEmpty()) {
      return ranks;
    }
    left -= ranks.size();
    lists.put(text, List.copyOf(ranks));
    return ranks;
  }

  /** Times of one rank are compared with each other only: its order stands for them. */
  private static Collective collective(RankEvidence.Operation o) {
    Integer order = o.order();
    return new Collective(
        o.sequence(),
        o.operation(),
        o.shape(),
        o.pointToPoint(),
        o.pending(),
        order == null ? 0 : order,
        o.pending() ? o.begun() : null);
  }
}
