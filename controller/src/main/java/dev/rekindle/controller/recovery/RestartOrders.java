package dev.rekindle.controller.recovery;

import static dev.rekindle.controller.recovery.Transitions.attemptId;

import dev.rekindle.api.JobRef;
import dev.rekindle.api.RestartInstruction;
import dev.rekindle.api.RestartOrderSpec;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.OrderView;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.Policy;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** The orders to the agents of a gang that is restarted in place. */
final class RestartOrders {
  /** What agents get beyond the times of the phases before they thaw on their own. */
  private static final Duration MARGIN = Duration.ofSeconds(60);

  private RestartOrders() {}

  /** The order with its next instruction; what the order before it said of times stays. */
  static Effect order(
      RecoverySnapshot s, JobView job, Policy policy, RestartInstruction instruction, Instant now) {
    String leader =
        instruction == RestartInstruction.FREEZE ? "" : leader(s).map(PodView::uid).orElse("");
    OrderView given = s.order();
    Duration patience =
        Freezing.takes(s, job, policy)
            .plus(policy.replacement())
            .plus(policy.inspect())
            .plus(MARGIN);
    Instant until = given == null ? now.plus(patience) : given.spec().until();
    Integer hold = given == null ? Integer.valueOf(seconds(patience)) : given.spec().holdSeconds();
    // Before the first order all pods are of the gang that it is for.
    Instant youngest =
        given == null
            ? s.pods().stream().map(PodView::created).max(Instant::compareTo).orElse(null)
            : given.spec().youngest();
    return new Effect.Order(
        attemptId(s),
        new RestartOrderSpec(
            JobRef.pyTorchJob(job.key().name(), job.uid()),
            s.recovery().name(),
            instruction,
            leader,
            until,
            youngest,
            given == null
                ? StallFindings.wanted(s) ? Boolean.TRUE : null
                : given.spec().collectEvidence(),
            hold));
  }

  /** Rounded up. */
  private static int seconds(Duration time) {
    return Math.toIntExact(time.plusSeconds(1).minusNanos(1).toSeconds());
  }

  /** The pod of rank 0, whose container serves the rendezvous. */
  static Optional<PodView> leader(RecoverySnapshot s) {
    Optional<PodView> master = s.pods().stream().filter(p -> p.role().equals("master")).findFirst();
    return master.isPresent() ? master : s.pods().stream().filter(p -> p.index() == 0).findFirst();
  }
}
