package dev.rekindle.controller.recovery;

import dev.rekindle.api.PlacementPlan;
import dev.rekindle.api.RecoveryStatus.Plan;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.SpareView;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;

/** The warm spares of a job that make way for its gang. */
final class WarmSpares {
  private WarmSpares() {}

  /** Those on nodes that replacements are planned for; all of them where none is planned. */
  static List<Effect> released(RecoverySnapshot s, JobView job) {
    Plan plan = Transitions.status(s).plan();
    PlacementPlan placement = plan == null ? null : plan.placement();
    return released(
        s, job, placement == null ? _ -> true : spare -> placement.nodes().contains(spare.node()));
  }

  /** All of them: a gang that is created again may use any node. */
  static List<Effect> all(RecoverySnapshot s, JobView job) {
    return released(s, job, _ -> true);
  }

  private static List<Effect> released(
      RecoverySnapshot s, JobView job, Predicate<SpareView> which) {
    return s.spares().stream()
        .filter(spare -> spare.jobUid().equals(job.uid()) && !spare.terminating())
        .filter(which)
        .sorted(Comparator.comparing(SpareView::name))
        .<Effect>map(spare -> new Effect.ReleaseSpare(spare.name(), spare.uid(), spare.node()))
        .toList();
  }
}
