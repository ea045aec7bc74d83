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
    // Each pod is requested, so that all are inspected side by side.
    long sought = gang.stream().filter(pod -> isSought(order, pod)).count();
    return gang.isEmpty() || sought > 0 ? null : RestartInstruction.LOOK;
  }

  /**
   * What was found so far.
   *
   * @param before what was reported before; absent for none
   */
  List<RankEvidence> found(
      Order order, Collection<TrainingPod> gang, @Nullable RestartReportSpec before) {
    if (!order.collectsEvidence()) {
      return List.of();
    }
    // Containers that run again are others: what was reported of the old ones stays.
    return before != null && before.done() != null
        ? before.ranks()
        : EvidenceBound.fit(
            gang.stream().flatMap(pod -> witnesses.found(order.uid(), pod).stream()).toList());
  }

  /** Forgets what was found for all other orders. */
  void retain(Set<String> orderUids) {
    witnesses.retain(orderUids);
  }
}
