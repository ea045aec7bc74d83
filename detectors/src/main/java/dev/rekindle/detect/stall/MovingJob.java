package dev.rekindle.detect.stall;

import dev.rekindle.api.RankEvidence;
import dev.rekindle.api.RankEvidence.DumpState;
import dev.rekindle.api.RankEvidence.Group;
import dev.rekindle.api.RankEvidence.ProcessState;
import dev.rekindle.detect.flightrecorder.Dump;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Whether a job whose steps are not seen trains all the same: its log is not read, or what it does
 * now prints no step. Each rank has to show that by its dump: it enqueued an operation in its
 * busiest group shortly before, and waits in no group that stands. A group that only beats beside
 * the training has fewer operations than the training itself.
 */
public final class MovingJob {
  private MovingJob() {}

  /**
   * Reads what agents found of all ranks of one job. Pure.
   *
   * @param found what agents report
   * @param mostRanks more ranks than this the job cannot have
   * @return whether all ranks show it; false where a rank or its dump is missing, or a process is
   *     stopped
   */
  public static boolean trains(Collection<RankEvidence> found, int mostRanks) {
    var reader = new SummaryReader(mostRanks);
    var moving = new MovingGroups();
    List<Dump> dumps = new ArrayList<>();
    Set<Integer> ranks = new HashSet<>();
    for (RankEvidence rank : found) {
      boolean shows =
          rank.rank() < mostRanks
              && rank.worldSize() <= found.size()
              && ranks.add(rank.rank())
              && rank.process() == ProcessState.RUNNING
              && rank.dump() == DumpState.READ
              && rank.omitted().isEmpty()
              && busiest(rank).filter(MovingJob::isRecent).isPresent();
      if (!shows) {
        return false;
      }
      moving.add(rank, reader);
      dumps.add(reader.read(rank));
    }
    return moving.haveAllThatWait(dumps);
  }

  private static Optional<Group> busiest(RankEvidence rank) {
    return rank.groups().stream().max(Comparator.comparingLong(Group::enqueued));
  }

  private static boolean isRecent(Group group) {
    Long idle = group.idleMillis();
    return idle != null && idle < MovingGroups.RECENT.toMillis();
  }
}
