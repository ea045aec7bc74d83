package dev.rekindle.detect.flightrecorder;

import java.util.List;

/**
 * How far one rank is in one group. Numbers are sequence numbers of collectives, which count from 1
 * on; 0 stands for none yet, as -1 does in dumps.
 *
 * @param enqueued the last one that the host enqueued
 * @param completed the last one that is over on this rank
 * @param inferred the numbers are from the entries, for want of a status
 * @param operations the pending ones, and the last of the others, by number
 */
public record GroupProgress(
    long enqueued, long completed, boolean inferred, List<Collective> operations) {
  public GroupProgress {
    enqueued = Math.max(0, enqueued);
    completed = Math.max(0, completed);
    operations = List.copyOf(operations);
  }

  /** The same, in which the operations that were enqueued at a time are pending. */
  GroupProgress withPending(long created) {
    long first =
        operations.stream()
            .filter(c -> c.created() == created && !c.pointToPoint())
            .mapToLong(Collective::sequence)
            .min()
            .orElse(Long.MAX_VALUE);
    var own = operations.stream().map(c -> c.created() == created ? c.pendingAgain() : c).toList();
    return new GroupProgress(enqueued, Math.min(completed, first - 1), inferred, own);
  }

  /** Whether it has enqueued a collective that is not over. */
  public boolean waits() {
    return enqueued > completed;
  }

  /** Whether it sends or receives in this group: the numbers of its ranks then differ anyway. */
  public boolean pointToPoint() {
    return operations.stream().anyMatch(Collective::pointToPoint);
  }
}
