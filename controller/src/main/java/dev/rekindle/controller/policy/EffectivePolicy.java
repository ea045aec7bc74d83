package dev.rekindle.controller.policy;

import dev.rekindle.controller.model.JobView.Mode;
import dev.rekindle.controller.model.Policy;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * One policy within the bounds of another. Users who may edit a job may name any policy: so what a
 * policy lets Rekindle do to others, or as often as it likes, is never more than the bound allows.
 * What concerns the job alone (its times, how it comes back) is taken as it stands.
 */
public final class EffectivePolicy {
  private EffectivePolicy() {}

  /**
   * The named policy, where it is laxer than the bound held to it. A limit that counts over a time
   * takes the smaller count and the longer time.
   */
  public static Policy within(Policy named, Policy bound) {
    return named.with(
        b ->
            b.mode(lower(named.mode(), bound.mode()))
                .maxRestarts(Math.min(named.maxRestarts(), bound.maxRestarts()))
                .budgetWindow(longer(named.budgetWindow(), bound.budgetWindow()))
                .maxAttempts(Math.min(named.maxAttempts(), bound.maxAttempts()))
                .maxFencedNodes(Math.min(named.maxFencedNodes(), bound.maxFencedNodes()))
                .maxFencedPercent(smaller(named.maxFencedPercent(), bound.maxFencedPercent()))
                .poolLabel(bound.poolLabel().isEmpty() ? named.poolLabel() : bound.poolLabel())
                .paused(named.paused() || bound.paused())
                .maxSpares(Math.min(named.maxSpares(), bound.maxSpares()))
                .maxSparesPerNamespace(
                    Math.min(named.maxSparesPerNamespace(), bound.maxSparesPerNamespace()))
                // Asked of the bound alone, wherever they are asked.
                .nodeConditions(bound.nodeConditions())
                .deviceResources(bound.deviceResources())
                .fenceScope(bound.fenceScope())
                .thresholds(bound.thresholds())
                .rebootSettle(bound.rebootSettle())
                .fenceLemons(bound.fenceLemons())
                .maxFencedPerNamespace(bound.maxFencedPerNamespace()));
  }

  private static Mode lower(Mode a, Mode b) {
    return a.compareTo(b) <= 0 ? a : b;
  }

  private static Duration longer(Duration a, Duration b) {
    return a.compareTo(b) >= 0 ? a : b;
  }

  /** Absent means no such limit. */
  private static @Nullable Integer smaller(@Nullable Integer a, @Nullable Integer b) {
    if (a == null || b == null) {
      return a == null ? b : a;
    }
    return Math.min(a, b);
  }
}
