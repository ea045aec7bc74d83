package dev.rekindle.controller.recovery;

import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** What failed for a recovery, as input of its next decision, and what was accepted. */
final class EffectMemory {
  final String recovery;
  private final Map<CallKind, EffectFailure> failures = new EnumMap<>(CallKind.class);
  private final AcceptedEffects accepted = new AcceptedEffects();

  EffectMemory(String recovery) {
    this.recovery = recovery;
  }

  /** What has failed and has not succeeded since. */
  synchronized Failures failures() {
    return new Failures(failures);
  }

  /**
   * Those that were not accepted a moment ago. What the decision no longer contains is forgotten.
   */
  synchronized List<Effect> due(Decision.Act act, List<Effect> effects, Instant now) {
    accepted.keep(Stream.concat(act.effects().stream(), act.then().stream()).toList());
    return accepted.due(effects, now);
  }

  /** No decision contains any more what was accepted. */
  synchronized void over() {
    accepted.keep(List.of());
  }

  /**
   * Takes the results of effects.
   *
   * @return what failed
   */
  synchronized List<EffectFailure> add(EffectOutcomes outcomes, Instant now) {
    outcomes.accepted().forEach(effect -> accepted.add(effect, now));
    failures.keySet().removeAll(outcomes.done());
    List<EffectFailure> failed = new ArrayList<>();
    outcomes
        .failed()
        .forEach(
            (kind, call) -> {
              EffectFailure failure =
                  EffectFailure.of(kind, call.object(), call.error(), failures.get(kind), now);
              failures.put(kind, failure);
              failed.add(failure);
            });
    return failed;
  }
}
