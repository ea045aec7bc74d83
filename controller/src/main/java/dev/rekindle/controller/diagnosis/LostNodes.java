package dev.rekindle.controller.diagnosis;

import dev.rekindle.api.CauseReason;
import dev.rekindle.api.RecoveryStatus.Cause;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.Policy;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Judges pods on nodes that are deleted, or that are silent while the whole gang makes no step. */
final class LostNodes {
  private LostNodes() {}

  static Optional<Verdict> lostNode(JobSnapshot s, Policy policy, Instant now) {
    List<PodView> bound = s.pods().stream().filter(p -> p.live() && !p.node().isEmpty()).toList();
    List<String> gone = nodes(bound, p -> !s.nodes().containsKey(p.node()));
    if (!gone.isEmpty()) {
      return nodeGone(s, bound, gone, policy, now);
    }
    List<String> silent = nodes(bound, p -> silent(s.nodes().get(p.node())));
    if (silent.isEmpty()) {
      return Optional.empty();
    }
    GangProgress progress = GangProgress.of(s.pods(), s.ranks());
    String where = String.join(", ", silent);
    if (!progress.seen()) {
      // A gang that is not whole does not train, whatever the silent node does.
      List<String> there = Causes.names(bound.stream().filter(p -> silent.contains(p.node())));
      return UnplacedGangs.unplaced(s, policy, now)
          .or(() -> Stalls.neverBegan(s, progress, policy, now))
          .map(verdict -> blamed(verdict, silent, there, s))
          .or(
              () ->
                  Optional.of(
                      new Verdict.NoAction(
                          "node "
                              + where
                              + " is silent, but no step was ever seen: nothing shows that"
                              + " training has stopped")));
    }
    Optional<Duration> seen = progress.standingOutside(silent, now);
    Optional<Duration> standing = seen.or(() -> progress.unheardOutside(silent, now));
    if (standing.isEmpty()) {
      return Optional.of(
          new Verdict.Watch(
              "node "
                  + where
                  + " is silent and no agent elsewhere reports: nothing shows that training has"
                  + " stopped",
              now.plus(policy.silentNode())));
    }
    Duration enough = seen.isPresent() ? policy.silentNode() : Stalls.stallTimeout(s, policy);
    Duration left = enough.minus(standing.get());
    if (left.isPositive()) {
      return Optional.of(new Verdict.Watch("node " + where + " is silent", now.plus(left)));
    }
    String message =
        "node %s is silent and the steps of the gang stand at %d for %d s"
            .formatted(where, progress.lastStep(), standing.get().toSeconds());
    List<String> pods = Causes.names(bound.stream().filter(p -> silent.contains(p.node())));
    return Optional.of(
        Causes.recover(
            Causes.of(CauseReason.NODE_SILENT, message, List.of(), List.of(), silent, pods, s)));
  }

  /**
   * A Node is deleted, and its pods are not yet: where it is only registered again, what runs there
   * trains on, and its pods stay. Where no step was ever seen there is no witness that training
   * stands: the pods of a Node that does not come back fail within a minute, by the garbage
   * collector, and the rest of the gang with them.
   */
  private static Optional<Verdict> nodeGone(
      JobSnapshot s, List<PodView> bound, List<String> gone, Policy policy, Instant now) {
    String message = "node %s no longer exists".formatted(String.join(", ", gone));
    GangProgress progress = GangProgress.of(s.pods(), s.ranks());
    if (!progress.seen()) {
      return Optional.empty();
    }
    Optional<Duration> standing = progress.standingOutside(List.of(), now);
    Duration left = policy.silentNode().minus(standing.orElse(Duration.ZERO));
    if (left.isPositive()) {
      return Optional.of(
          new Verdict.Watch(
              message
                  + (standing.isPresent()
                      ? ", and training goes on so far"
                      : ", and no agent reports: nothing shows that training has stopped"),
              now.plus(left)));
    }
    List<String> pods = Causes.names(bound.stream().filter(p -> gone.contains(p.node())));
    return Optional.of(
        Causes.recover(
            Causes.of(CauseReason.NODE_GONE, message, List.of(), List.of(), gone, pods, s)));
  }

  /** What never began while a node was silent did not begin because of it. */
  private static Verdict blamed(
      Verdict verdict, List<String> silent, List<String> pods, JobSnapshot s) {
    if (!(verdict instanceof Verdict.Recover(Cause cause, _))
        || !cause.reason().equals(Cause.STALLED)) {
      return verdict;
    }
    String message =
        "node %s is silent and the gang has made no step".formatted(String.join(", ", silent));
    return Causes.recover(
        Causes.of(CauseReason.NODE_SILENT, message, List.of(), List.of(), silent, pods, s));
  }

  private static boolean silent(@Nullable NodeView node) {
    return node != null && node.readiness() == NodeView.Readiness.SILENT;
  }

  private static List<String> nodes(Collection<PodView> pods, Predicate<PodView> which) {
    return pods.stream().filter(which).map(PodView::node).distinct().sorted().toList();
  }
}
