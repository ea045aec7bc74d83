package dev.rekindle.simulator.chaos;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.recovery.HoldReason;
import dev.rekindle.simulator.world.RecoveryObject;
import dev.rekindle.simulator.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Invariant 36: if a recovery says that it has waited in vain, it has waited for the full time.
 * Bound: ten seconds, as processes differ in their clocks and in the recorded start of a phase.
 * Why: each attempt that is given up too early costs a start of the gang, and too many of them end
 * the recovery.
 */
final class TrueTimeouts extends Check {
  private static final Duration APART = Duration.ofSeconds(10);

  /** How it is said that something did not come in time, in the phase that is left. */
  private static final Map<RecoveryPhase, Pattern> WAITED =
      Map.of(
          RecoveryPhase.VERIFYING,
          Pattern.compile("no new step within (\\d+) s"),
          RecoveryPhase.PLANNING,
          Pattern.compile("the inspector did not report within (\\d+) s"));

  private final Policy policy;
  private final Map<String, Instant> entered = new HashMap<>();

  TrueTimeouts(World world, Invariants all, Policy policy) {
    super(world, all, Invariant.TRUE_TIMEOUTS);
    this.policy = policy;
  }

  @Override
  public void saved(RecoveryObject before, @Nullable RecoveryStatus after) {
    RecoveryStatus was = before.status();
    RecoveryPhase phase = after == null ? null : after.phase();
    if (after == null || phase == null || after.timeline().isEmpty()) {
      return;
    }
    String key = before.meta().key();
    RecoveryPhase left = was == null ? null : was.phase();
    Instant since = entered.get(key);
    String detail = after.timeline().getLast().detail();
    if (left != null && since != null && left != phase && !clocksWereWrong()) {
      Duration time = said(left, after, detail);
      if (since.plus(time).minus(APART).isAfter(now())) {
        broken(
            "recovery %s leaves %s, which it entered at %s: %s"
                .formatted(key, left.word(), since, detail));
      }
    }
    if (left != phase) {
      // The write may have taken effect late: its writer counts from before (seed 78007259).
      Instant begun = after.phaseSince();
      entered.put(key, begun != null && begun.isBefore(now()) ? begun : now());
    }
  }

  /** How long it says that it has waited; zero where it says nothing of that. */
  private Duration said(RecoveryPhase left, RecoveryStatus next, String detail) {
    if (left == RecoveryPhase.DRAINING && isHeld(next, HoldReason.DRAIN_BLOCKED)) {
      return policy.drainTimeout();
    }
    Pattern pattern = WAITED.get(left);
    if (pattern == null) {
      return Duration.ZERO;
    }
    Matcher matcher = pattern.matcher(detail);
    return matcher.find() ? Duration.ofSeconds(Long.parseLong(matcher.group(1))) : Duration.ZERO;
  }
}
