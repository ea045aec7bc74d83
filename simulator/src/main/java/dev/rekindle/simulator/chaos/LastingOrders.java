package dev.rekindle.simulator.chaos;

import dev.rekindle.api.RestartInstruction;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.simulator.world.JobObject;
import dev.rekindle.simulator.world.OrderObject;
import dev.rekindle.simulator.world.World;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * An order to freeze lasts longer than the phases in which its gang must stay frozen. Agents thaw
 * the processes when it ends, so a shorter order lets the old generation compute in the middle of
 * its recovery.
 */
final class LastingOrders extends Check {
  /** By so much a clock of the controller may be behind that of the model. */
  private static final Duration SKEW = Duration.ofSeconds(5);

  private final Policy policy;

  /** When they were set right; what was decided before may be under way. */
  private @Nullable Instant setRight;

  LastingOrders(World world, Invariants all, Policy policy) {
    super(world, all, Invariant.BARRIER);
    this.policy = policy;
  }

  @Override
  public void clocksAreWrong(boolean wrong) {
    super.clocksAreWrong(wrong);
    setRight = wrong ? null : now();
  }

  @Override
  public void ordered(@Nullable OrderObject before, OrderObject after) {
    JobObject job = world.jobs().find(after.job().toString()).orElse(null);
    Integer hold = after.spec().holdSeconds();
    boolean mayBeWrong =
        hold == null && (clocksAreWrong() || (setRight != null && !longAgo(setRight)));
    if (before != null
        || job == null
        || mayBeWrong
        || after.spec().instruction() == RestartInstruction.LOOK
        || isForNoPod(after, job)) {
      return;
    }
    Instant needed =
        now()
            .plus(policy.freeze(job.setup().ranks()))
            .plus(policy.replacement())
            .plus(policy.inspect())
            .minus(SKEW);
    Instant until = hold == null ? after.spec().until() : now().plusSeconds(hold);
    if (until == null || until.isBefore(needed)) {
      broken(
          "order %s ends at %s; its gang may have to stand still until %s"
              .formatted(after.meta().name(), until, needed));
    }
  }
}
