package dev.rekindle.detect.stall;

import dev.rekindle.api.RankEvidence;
import dev.rekindle.api.RankEvidence.ProcessState;
import java.util.Collection;
import java.util.OptionalInt;

/**
 * Whether the ranks of a job that stands wait for one that compiles: a batch of another shape, or
 * the first evaluation, compiles the model anew, for minutes, in the middle of training.
 */
public final class CompilingRank {
  private CompilingRank() {}

  /**
   * Reads what agents found of the ranks of one job. Pure.
   *
   * @param found what agents report
   * @param mostRanks more ranks than this the job cannot have
   * @return the first rank that compiles; empty where none does, or a process is stopped
   */
  public static OptionalInt of(Collection<RankEvidence> found, int mostRanks) {
    if (found.stream().anyMatch(rank -> rank.process() == ProcessState.STOPPED)) {
      return OptionalInt.empty();
    }
    return found.stream()
        .filter(rank -> Boolean.TRUE.equals(rank.compiles()) && rank.rank() < mostRanks)
        .mapToInt(RankEvidence::rank)
        .min();
  }
}
