package dev.rekindle.controller.recovery;

import dev.rekindle.api.RestartOrderSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Effects of a recovery that the API server has accepted, while the views do not show them yet. The
 * same effect is wanted by each decision until they do, and a watch may lag for minutes: it is
 * repeated with growing pauses, in case something else has undone it. What no decision wants any
 * more is forgotten. Not safe for several threads.
 */
final class AcceptedEffects {
  private static final Duration FIRST_PAUSE = Duration.ofSeconds(1);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(8);

  private record Accepted(Instant at, Duration pause) {
    /** Zero when it may be repeated; also where the clock was set back. */
    private Duration left(Instant now) {
      Duration left = Duration.between(now, at.plus(pause));
      return left.isNegative() || left.compareTo(pause) > 0 ? Duration.ZERO : left;
    }
  }

  private final Map<Effect, Accepted> byEffect = new HashMap<>();

  /** Those that are to be carried out now, in the same order. */
  List<Effect> due(List<Effect> wanted, Instant now) {
    return wanted.stream().filter(effect -> left(effect, now).isZero()).toList();
  }

  private Duration left(Effect effect, Instant now) {
    Accepted accepted = byEffect.get(timeless(effect));
    return accepted == null ? Duration.ZERO : accepted.left(now);
  }

  /** The API server has accepted it. */
  void add(Effect effect, Instant now) {
    byEffect.compute(
        timeless(effect),
        (_, before) -> {
          Duration pause = before == null ? FIRST_PAUSE : before.pause().multipliedBy(2);
          return new Accepted(now, pause.compareTo(LONGEST_PAUSE) < 0 ? pause : LONGEST_PAUSE);
        });
  }

  /** Only these are wanted now. */
  void keep(Collection<Effect> wanted) {
    byEffect.keySet().retainAll(wanted.stream().map(AcceptedEffects::timeless).toList());
  }

  /** An order says until when it holds, which is later each time that it is decided. */
  private static Effect timeless(Effect effect) {
    if (!(effect instanceof Effect.Order(String name, RestartOrderSpec spec))) {
      return effect;
    }
    return new Effect.Order(
        name,
        new RestartOrderSpec(
            spec.jobRef(),
            spec.recovery(),
            spec.instruction(),
            spec.leaderUid(),
            null,
            spec.youngest(),
            spec.collectEvidence(),
            spec.holdSeconds()));
  }
}
