package dev.rekindle.simulator.chaos;

import dev.rekindle.api.Scorecard;
import dev.rekindle.api.Scorecard.Entry;
import dev.rekindle.api.ShadowAction;
import dev.rekindle.api.ShadowVerdict;
import dev.rekindle.simulator.api.Change;
import dev.rekindle.simulator.world.PolicyObject;
import dev.rekindle.simulator.world.World;
import java.time.Duration;
import java.util.List;

/** What a scorecard says of a job that was not restarted is true of that job, not of a namesake. */
final class TrueVerdicts extends Check {
  /** Clocks of agents and of the controller differ, and steps are seen late. */
  private static final Duration LATE = Duration.ofSeconds(30);

  TrueVerdicts(World world, Invariants all) {
    super(world, all, Invariant.TRUE_VERDICTS);
    world.policies().watch(this::changed);
  }

  private void changed(Change<PolicyObject> change) {
    PolicyObject before = change.before();
    PolicyObject after = change.after();
    if (before != null && after != null) {
      List<Entry> known = before.card().recent();
      Scorecard card = after.card();
      card.recent().stream()
          .filter(e -> e.what() == ShadowAction.RESTART && !e.open() && !known.contains(e))
          .forEach(this::judged);
    }
  }

  private void judged(Entry entry) {
    boolean stepped =
        world
            .gangOf(entry.uid())
            .map(gang -> gang.training().lastStep().isAfter(entry.time().minus(LATE)))
            .orElse(false);
    if (entry.verdict() == ShadowVerdict.WRONG
        && entry.then().startsWith("it came to step")
        && !stepped) {
      broken(
          "job %s (%s): %s, says the scorecard; it has made no step since %s"
              .formatted(entry.subject(), entry.uid(), entry.then(), entry.time()));
    }
    boolean there =
        world
            .jobs()
            .find(entry.subject())
            .filter(job -> job.meta().uid().equals(entry.uid()))
            .isPresent();
    if (entry.then().equals("the job was deleted") && there) {
      broken("job %s (%s) was deleted, says the scorecard".formatted(entry.subject(), entry.uid()));
    }
  }
}
