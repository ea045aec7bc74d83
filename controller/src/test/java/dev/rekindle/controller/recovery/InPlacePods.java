package dev.rekindle.controller.recovery;

import static dev.rekindle.controller.Given.T0;
import static dev.rekindle.controller.Given.gang;

import dev.rekindle.api.RankEvidence;
import dev.rekindle.api.RankEvidence.DumpState;
import dev.rekindle.api.RankEvidence.Group;
import dev.rekindle.api.RankEvidence.ProcessState;
import dev.rekindle.controller.model.PodView;
import java.util.List;

/** Pods of the gang of an {@link InPlaceScene}, and what their ranks show. */
final class InPlacePods {
  private InPlacePods() {}

  /** The pod of worker 0, created again. */
  static PodView replacement(String node) {
    PodView old = gang("").get(1);
    return old.with(
        b ->
            b.uid(old.uid() + "-new")
                .node(node)
                .phase(node.isEmpty() ? PodView.Phase.PENDING : PodView.Phase.RUNNING)
                .ready(!node.isEmpty())
                .created(T0.plusSeconds(8)));
  }

  /** What a dump of a rank of three shows that has completed eight collectives. */
  static RankEvidence at(int pod, int rank, long enqueued) {
    PodView view = gang("").get(pod);
    return new RankEvidence(
        view.name(),
        view.uid(),
        rank,
        3,
        ProcessState.RUNNING,
        DumpState.READ,
        List.of(new Group("0", "default_pg", "0-2", enqueued, 8, false, List.of())));
  }

  /** What a dump of a rank of three shows that trains: its newest collective is of this moment. */
  static RankEvidence trains(int rank) {
    PodView view = gang("").get(rank);
    return new RankEvidence(
        view.name(),
        view.uid(),
        rank,
        3,
        ProcessState.RUNNING,
        DumpState.READ,
        List.of(new Group("0", "default_pg", "0-2", 90 + rank, 89, false, List.of(), 100L)));
  }

  static PodView terminating(PodView p) {
    return p.withDeletionDeadline(InPlaceScene.NOW.plusSeconds(5));
  }
}
