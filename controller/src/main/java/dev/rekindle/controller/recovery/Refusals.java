package dev.rekindle.controller.recovery;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * What becomes of a decision whose effects the API server does not carry out.
 *
 * <ul>
 *   <li>What failed is retried with back-off, of many alike only one as a probe.
 *   <li>What lasts holds the recovery, open and with the API server's words, and is requested
 *       still: the recovery continues as soon as it is accepted.
 *   <li>A gang is not kept frozen for it: a restart in place becomes a rebuild, and a rebuild that
 *       is held takes the order back, so that the agents thaw what lives.
 * </ul>
 */
final class Refusals {
  private Refusals() {}

  /** The decision, as far as the API server lets it be carried out. */
  static Decision applied(RecoverySnapshot s, Decision wanted, Instant now) {
    return switch (wanted) {
      case Decision.Move move -> move;
      case Decision.Act act -> act(s, act, now);
      case Decision.Wait wait -> goneOrNot(s, wait, now);
    };
  }

  /** Once nothing is requested any more, what the recovery was held for has been accepted. */
  private static Decision goneOrNot(RecoverySnapshot s, Decision.Wait wait, Instant now) {
    boolean held =
        HoldReason.of(Transitions.status(s)).map(HoldReason::ofTheApiServer).orElse(false);
    return held && !s.failures().any(now)
        ? Transitions.enter(
            s, Transitions.phase(s.recovery()), "the API server accepts it now", now)
        : wait;
  }

  private static Decision act(RecoverySnapshot s, Decision.Act act, Instant now) {
    Optional<EffectFailure> lasting =
        all(act)
            .filter(e -> !e.kind().optional())
            .flatMap(e -> s.failures().of(e.kind(), now).stream())
            .filter(f -> InPlace.chosen(s) ? f.lastsInPlace() : f.lasts())
            .findFirst();
    if (lasting.isEmpty()) {
      return due(s, act, now);
    }
    EffectFailure failure = lasting.get();
    if (InPlace.chosen(s)) {
      return InPlace.rebuild(s, failure.reason().word() + ": " + failure.describe(), now);
    }
    Decision held = Transitions.hold(s, failure.reason(), failure.describe(), now);
    return held instanceof Decision.Move ? held : thawing(s, due(s, act, now), now);
  }

  /** What the agents still keep frozen is thawed while nothing goes on. */
  private static Decision thawing(RecoverySnapshot s, Decision due, Instant now) {
    if (s.order() == null || !s.failures().mayAsk(CallKind.WITHDRAW, now)) {
      return due;
    }
    Effect withdraw = new Effect.Withdraw(s.order().name());
    if (!(due instanceof Decision.Act act)) {
      return new Decision.Act(List.of(withdraw), Transitions.LATER);
    }
    List<Effect> effects = new ArrayList<>(act.effects());
    effects.addFirst(withdraw);
    return new Decision.Act(effects, act.then(), act.recheck());
  }

  private static Decision due(RecoverySnapshot s, Decision.Act act, Instant now) {
    Failures failures = s.failures();
    boolean ready =
        act.effects().stream().allMatch(e -> e.kind().optional() || failures.mayAsk(e.kind(), now));
    // What the recovery can do without is not requested in each reconcile while it waits for the
    // rest.
    List<Effect> first =
        due(act.effects(), failures, now).stream()
            .filter(e -> ready || !e.kind().optional())
            .toList();
    List<Effect> then = ready ? due(act.then(), failures, now) : List.of();
    if (!first.isEmpty()) {
      return new Decision.Act(first, then, act.recheck());
    }
    if (!then.isEmpty()) {
      return new Decision.Act(then, act.recheck());
    }
    Duration left =
        all(act)
            .map(e -> failures.left(e.kind(), now))
            .filter(Duration::isPositive)
            .min(Duration::compareTo)
            .filter(d -> d.compareTo(Transitions.LATER) < 0)
            .orElse(Transitions.LATER);
    return new Decision.Wait("the call is retried", left);
  }

  /** Of what has not failed all, of what has failed one, when it is time to retry. */
  private static List<Effect> due(List<Effect> effects, Failures failures, Instant now) {
    List<Effect> due = new ArrayList<>();
    Set<CallKind> probed = EnumSet.noneOf(CallKind.class);
    for (Effect effect : effects) {
      Optional<EffectFailure> failure = failures.of(effect.kind(), now);
      if (failure.isEmpty() || (failure.get().due(now) && probed.add(effect.kind()))) {
        due.add(effect);
      }
    }
    return due;
  }

  private static Stream<Effect> all(Decision.Act act) {
    return Stream.concat(act.effects().stream(), act.then().stream());
  }
}
