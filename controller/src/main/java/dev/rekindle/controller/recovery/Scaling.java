package dev.rekindle.controller.recovery;

import dev.rekindle.api.RecoveryStatus.Plan;
import dev.rekindle.controller.model.JobView;
import java.util.Optional;

/**
 * The size of the gang: whether somebody has changed the size of the gang since the restart was
 * planned. Containers that stay keep the size that their environment named, and a place was
 * searched for as many pods as there were: neither is true of another size.
 */
final class Scaling {
  private Scaling() {}

  /** Whether there is exactly one pod for each place in the gang. */
  static boolean isWhole(RecoverySnapshot s, JobView job) {
    long slots = s.pods().stream().map(p -> p.role() + "/" + p.index()).distinct().count();
    return s.pods().size() == job.gangSize() && slots == job.gangSize();
  }

  /** What has changed, for people; empty when nothing has, or no size was written down. */
  static Optional<String> since(RecoverySnapshot s, JobView job) {
    Plan plan = Transitions.status(s).plan();
    Integer planned = plan == null ? null : plan.gangSize();
    return planned == null || planned == job.gangSize()
        ? Optional.empty()
        : Optional.of("the gang was scaled from %d to %d pods".formatted(planned, job.gangSize()));
  }
}
