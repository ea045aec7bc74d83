package dev.rekindle.simulator.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.JobRef;
import dev.rekindle.api.RecoverySpec;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.simulator.Given;
import dev.rekindle.simulator.api.Meta;
import dev.rekindle.simulator.world.JobObject;
import dev.rekindle.simulator.world.RecoveryObject;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** One restart is allowed within the hour, and a recovery was opened by a clock that is ahead. */
class BudgetsTest extends WatchedCluster {
  private final Budgets budgets =
      new Budgets(simulation.world(), invariants, Policy.DEFAULT.with(b -> b.maxRestarts(1)));

  private void opens(String name) {
    JobObject job = simulation.world().jobs().get(Given.KEY.toString());
    var spec =
        new RecoverySpec(
            JobRef.pyTorchJob(Given.KEY.name(), job.meta().uid()), simulation.now(), null);
    var recovery = new RecoveryObject(Meta.draft(Given.KEY.namespace(), name, ""), spec, null);
    simulation.world().recoveries().create(recovery);
    budgets.opened(recovery);
  }

  private void resumes(String recovery, int attempt) {
    JobObject job = simulation.world().jobs().get(Given.KEY.toString());
    String id = recovery + "-" + attempt;
    var template =
        new JobObject.Template(id, "", -1, List.of(), List.of(), Map.of(), job.meta().uid());
    budgets.wrote(job, job.with(template), "resume", recovery);
  }

  private Optional<Invariant> broken() {
    return invariants.violation().map(Violation::invariant);
  }

  private void restartsAndOpensAheadOfTime() {
    opens("demo-r1");
    resumes("demo-r1", 1);
    budgets.clocksAreWrong(true);
    opens("demo-r2");
    budgets.clocksAreWrong(false);
    resumes("demo-r2", 1);
  }

  /** Seed 94401185. */
  @Test
  void shouldLetTheFirstAttemptBeThatWasDecidedByAClockThatWasWrong() {
    restartsAndOpensAheadOfTime();

    assertThat(broken()).isEmpty();
  }

  @Test
  void shouldCountItForThoseThatAreDecidedSince() {
    restartsAndOpensAheadOfTime();
    resumes("demo-r2", 2);

    assertThat(broken()).contains(Invariant.BUDGET);
  }
}
