package dev.rekindle.simulator.chaos;

import dev.rekindle.controller.model.ClusterEvent;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.Reason;
import dev.rekindle.simulator.process.Answers;
import dev.rekindle.simulator.process.Answers.Call;
import dev.rekindle.simulator.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Invariant 43: an Event reports a write on nodes that is refused permanently although it is
 * retried. Bound: five minutes and eight calls. Why: otherwise no person finds out that a fence
 * stays, or is missing.
 */
final class SaidRefusals extends Check {
  private static final Duration BOUND = Duration.ofMinutes(5);
  private static final int CALLS = 8;

  /** A cordon of a recovery is reported by the hold of that recovery. */
  private static final Set<Call> WRITES =
      EnumSet.of(
          Call.RELEASE,
          Call.MARK_LEMON,
          Call.RAISE,
          Call.CLEAR,
          Call.RECORD_INCIDENT,
          Call.RECORD_STALL);

  private record Asked(Instant first, int calls) {}

  private final Answers answers;
  private final Map<Call, Asked> asked = new EnumMap<>(Call.class);
  private boolean said;

  SaidRefusals(World world, Invariants all, Answers answers) {
    super(world, all, Invariant.SAID_REFUSALS);
    this.answers = answers;
  }

  @Override
  public void announced(ClusterEvent event) {
    said |= event.reason() == Reason.NODE_WRITE_REFUSED;
  }

  /** Each leader counts for itself (seed 94820882). */
  @Override
  public void processDied() {
    asked.clear();
  }

  @Override
  public void called(Call call, @Nullable JobKey job) {
    if (said || clocksWereWrong() || !WRITES.contains(call) || !answers.refusedForGood(call)) {
      return;
    }
    Asked now =
        asked.merge(call, new Asked(now(), 1), (a, _) -> new Asked(a.first(), a.calls() + 1));
    if (now.calls() > CALLS && now.first().plus(BOUND).isBefore(now())) {
      broken(
          "%s is refused since %s, was asked for %d times, and no Event says so"
              .formatted(call, now.first(), now.calls()));
    }
  }
}
