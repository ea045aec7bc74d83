package dev.rekindle.detect.restart;

import dev.rekindle.api.RankEvidence;
import dev.rekindle.api.RestartInstruction;
import dev.rekindle.api.RestartReportSpec;
import dev.rekindle.detect.pod.TrainingPod;
import dev.rekindle.detect.stall.EvidenceBound;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What the ranks of a gang are found doing for an order that requests it. */
final class OrderEvidence {
  private final GangWitnesses witnesses;

  OrderEvidence(GangWitnesses witnesses) {
    this.witnesses = witnesses;
  }

  /** Whether it is still collected; the first call begins that. */
  boolean isSought(Order order, TrainingPod pod) {
    return order.collectsEvidence() && witnesses.of(order.uid(), pod).isEmpty();
  }

  /** {@link RestartInstruction#LOOK} once all pods were inspected; absent before, and of none. */
  @Nullable RestartInstruction inspected(Order order, Collection<TrainingPod> gang) {
    // Each pod is begun with, so that all are inspected side by side.
    long sought = gang.stream().filter(pod -> isSought(order, pod)).count();
    return gang.isEmpty() || sought > 0 ? null : RestartInstruction.LOOK;
  }

  /**
   * What was found so far, as much of it as a report holds.
   *
   * @param ranks what they do
   * @param leftOut how many more ranks there are
   */
  record Found(List<RankEvidence> ranks, int leftOut) {}

  /**
   * What was found so far.
   *
   * @param before what was reported before; absent for none
   */
  Found found(Order order, Collection<TrainingPod> gang, @Nullable RestartReportSpec before) {
    if (!order.collectsEvidence()) {
      return new Found(List.of(), 0);
    }
    // Containers that run again are others: what was reported of the old ones stays.
    if (before != null && before.done() != null) {
      return new Found(before.ranks(), before.leftOut());
    }
    var all = gang.stream().flatMap(pod -> witnesses.found(order.uid(), pod).stream()).toList();
    var kept = EvidenceBound.fit(all);
    int more = gang.stream().mapToInt(pod -> witnesses.leftOut(order.uid(), pod)).sum();
    return new Found(kept, more + all.size() - kept.size());
  }

  /** Forgets what was found for all other orders. */
  void retain(Set<String> orderUids) {
    witnesses.retain(orderUids);
  }
}
