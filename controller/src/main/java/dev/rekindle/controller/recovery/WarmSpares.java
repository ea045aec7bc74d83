package dev.rekindle.controller.recovery;

import dev.rekindle.api.PlacementPlan;
import dev.rekindle.api.RecoveryStatus.Plan;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.SpareView;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** The warm spares of a job that make way for its gang. */
final class WarmSpares {
  private WarmSpares() {}

  /** Those on nodes that replacements are planned for; all of them where none is planned. */
  static List<Effect> released(RecoverySnapshot s, JobView job) {
    return released(s, job, onPlannedNodes(s));
  }

  /** All of them: a gang that is created again may use any node. */
  static List<Effect> all(RecoverySnapshot s, JobView job) {
    return released(s, job, _ -> true);
  }

  /**
   * The spare that keeps a replacement off its planned node for a moment: it has been released and
   * has not ended.
   */
  static Optional<String> ending(RecoverySnapshot s, JobView job) {
    return of(s, job)
        .filter(SpareView::terminating)
        .filter(onPlannedNodes(s))
        .findFirst()
        .map(spare -> "warm spare %s on %s has not ended".formatted(spare.name(), spare.node()));
  }

  private static Predicate<SpareView> onPlannedNodes(RecoverySnapshot s) {
    Plan plan = Transitions.status(s).plan();
    PlacementPlan placement = plan == null ? null : plan.placement();
    return placement == null ? _ -> true : spare -> placement.nodes().contains(spare.node());
  }

  private static List<Effect> released(
      RecoverySnapshot s, JobView job, Predicate<SpareView> which) {
    return of(s, job)
        .filter(spare -> !spare.terminating())
        .filter(which)
        .<Effect>map(spare -> new Effect.ReleaseSpare(spare.name(), spare.uid(), spare.node()))
        .toList();
  }

  private static Stream<SpareView> of(RecoverySnapshot s, JobView job) {
    return s.spares().stream()
        .filter(spare -> spare.jobUid().equals(job.uid()))
        .sorted(Comparator.comparing(SpareView::name));
  }
}
