package dev.rekindle.simulator.process;

import dev.rekindle.api.Scorecard;
import dev.rekindle.api.Scorecard.Entry;
import dev.rekindle.api.ShadowAction;
import dev.rekindle.api.ShadowVerdict;
import dev.rekindle.controller.shadow.Scores;
import dev.rekindle.controller.shadow.Scores.Outcome;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** Controllers that are broken on purpose: they judge in a scorecard before the time has come. */
public final class HastyVerdicts {
  private static final Duration MINUTE = Duration.ofMinutes(1);

  private HastyVerdicts() {}

  /** 24: takes a minute for an hour. */
  public static Reconcilers.Factory hours() {
    return judging(
        (entry, now) ->
            now.isAfter(entry.time().plus(MINUTE))
                ? Optional.of(new Outcome(ShadowVerdict.WRONG, "nothing happened for an hour"))
                : Optional.empty());
  }

  /** 24: takes the next record of a burst for the fault seen again. */
  public static Reconcilers.Factory bursts() {
    return judging(
        (_, _) -> Optional.of(new Outcome(ShadowVerdict.RIGHT, "the fault was seen again")));
  }

  private interface Judge {
    Optional<Outcome> of(Entry entry, Instant now);
  }

  /** Judges what is open of fences whenever a node is reconciled. */
  private static Reconcilers.Factory judging(Judge judge) {
    return (state, gateway, clock, effects) -> {
      Reconcilers real = Reconcilers.REAL.make(state, gateway, clock, effects);
      return new Reconcilers(
          real.jobs(),
          name -> {
            Instant now = clock.instant();
            for (String policy : state.policies()) {
              for (Entry entry : Scores.open(state.scorecard(policy), ShadowAction.FENCE, name)) {
                judge
                    .of(entry, now)
                    .ifPresent(
                        outcome ->
                            gateway.score(
                                policy,
                                (Scorecard card) -> Scores.judge(card, entry, outcome, now)));
              }
            }
            return real.nodes().reconcile(name);
          });
    };
  }
}
