package dev.rekindle.simulator.chaos;

import dev.rekindle.api.Scorecard;
import dev.rekindle.api.Scorecard.Tally;
import dev.rekindle.api.ShadowAction;
import dev.rekindle.simulator.api.Change;
import dev.rekindle.simulator.world.PolicyObject;
import dev.rekindle.simulator.world.World;

/**
 * Invariant 16: what a scorecard has counted is neither lost nor counted twice, whichever replica
 * leads. No bound: each write is judged. Why: these numbers decide whether mode observe is left.
 */
final class Scorecards extends Check {
  Scorecards(World world, Invariants all) {
    super(world, all, Invariant.SCORECARD);
    world.policies().watch(this::policyChanged);
  }

  private void policyChanged(Change<PolicyObject> change) {
    PolicyObject before = change.before();
    PolicyObject after = change.after();
    if (before != null && after != null) {
      scored(ShadowAction.FENCE, before.card().fences(), after.card().fences(), after.card());
      scored(ShadowAction.RESTART, before.card().restarts(), after.card().restarts(), after.card());
    }
  }

  private void scored(ShadowAction what, Tally before, Tally after, Scorecard card) {
    long open = card.recent().stream().filter(e -> e.open() && e.what() == what).count();
    long about =
        card.recent().stream()
            .filter(e -> e.open() && e.what() == what)
            .map(Scorecard.Entry::subject)
            .distinct()
            .count();
    if (about < open) {
      broken("%s: of %d open entries some are about the same: %s".formatted(what, open, card));
    }
    if (after.would() < before.would()
        || after.right() < before.right()
        || after.wrong() < before.wrong()
        || after.unknown() < before.unknown()
        || after.would() != after.right() + after.wrong() + after.unknown() + open) {
      broken("%s: %s, then %s with %d open".formatted(what, before, after, open));
    }
  }
}
