package dev.rekindle.controller.recovery;

import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;

/**
 * What of a recovery the API server has not carried out, as this process has seen it.
 *
 * @param byKind the newest failure of each kind that has not succeeded since
 */
public record Failures(Map<CallKind, EffectFailure> byKind) {
  static final Failures NONE = new Failures(Map.of());

  public Failures {
    byKind = Map.copyOf(byKind);
  }

  /** The failure of that kind, if it still counts. */
  Optional<EffectFailure> of(CallKind kind, Instant now) {
    return Optional.ofNullable(byKind.get(kind)).filter(f -> f.stands(now));
  }

  /** Whether that call may be made: it has not failed, or its pause is over. */
  boolean mayAsk(CallKind kind, Instant now) {
    return of(kind, now).map(f -> f.due(now)).orElse(true);
  }

  /** How long until it may be asked for. */
  Duration left(CallKind kind, Instant now) {
    return of(kind, now).map(f -> f.left(now)).orElse(Duration.ZERO);
  }

  /** How long until the first of them may be asked for again; empty when that is now or never. */
  Optional<Duration> soonest(Instant now) {
    if (byKind.isEmpty()) {
      return Optional.empty();
    }
    return byKind.values().stream()
        .filter(f -> f.stands(now))
        .map(f -> f.left(now))
        .filter(Duration::isPositive)
        .min(Comparator.naturalOrder());
  }

  /** Whether anything fails that the recovery cannot continue without. */
  boolean any(Instant now) {
    return byKind.values().stream().anyMatch(f -> !f.kind().optional() && f.stands(now));
  }
}
