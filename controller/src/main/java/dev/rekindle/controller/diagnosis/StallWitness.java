package dev.rekindle.controller.diagnosis;

import dev.rekindle.controller.model.FaultView;
import dev.rekindle.controller.model.NamedStalls;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.detect.weigh.Assessment;
import dev.rekindle.detect.weigh.Weigher;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * A stall as a second witness of a fault. A fault of the hardware that fences only when it comes
 * again, and a job that at the same time waited for a device or a link of the node, make one case.
 * Programs write what names their ranks, so the fault must be of a kind that none can cause, and
 * the namespace of the job answers for the fence with its quota.
 */
final class StallWitness {
  private StallWitness() {}

  /**
   * The verdict where a stall stands beside the fault; empty where none does.
   *
   * @param fault one that stands and does not fence by itself
   */
  static Optional<Assessment> beside(FaultView fault, NodeSnapshot s) {
    NodeView node = s.node();
    if (node == null
        || node.stalls().isEmpty()
        || FaultAssessor.byPrograms(fault)
        || !Weigher.isProof(fault)) {
      return Optional.empty();
    }
    return NamedStalls.parse(node.stalls()).entries().stream()
        .filter(NamedStalls.Entry::device)
        .filter(stall -> sameTime(fault, stall.at()) || isFencedFor(fault, node))
        .findFirst()
        .map(
            stall ->
                new Assessment(
                    true,
                    false,
                    "a job waited for a device of the node at the same time (%s)"
                        .formatted(stall.recovery()),
                    null,
                    Set.of(stall.namespace())));
  }

  /** Old bursts leave the object; a fence is not lifted because they do. */
  private static boolean isFencedFor(FaultView fault, NodeView node) {
    return node.fencedBy().equals("fault/" + fault.name());
  }

  private static boolean sameTime(FaultView fault, Instant stall) {
    Instant from = stall.minus(NamedStalls.SAME_MATTER);
    Instant to = stall.plus(NamedStalls.SAME_MATTER);
    boolean burst =
        fault.incidents().stream()
            .anyMatch(i -> !i.lastSeen().isBefore(from) && !i.firstSeen().isAfter(to));
    return burst
        || Stream.ofNullable(fault.lastSeen())
            .anyMatch(seen -> !seen.isBefore(from) && !seen.isAfter(to));
  }
}
