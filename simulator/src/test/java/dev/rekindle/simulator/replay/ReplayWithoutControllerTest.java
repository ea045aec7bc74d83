package dev.rekindle.simulator.replay;

import static dev.rekindle.simulator.replay.Given.HOUR;
import static dev.rekindle.simulator.replay.ReplayTest.DAY;
import static dev.rekindle.simulator.replay.ReplayTest.onAll;
import static dev.rekindle.simulator.replay.ReplayTest.run;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.cli.UsageException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A person, and no operator at all. */
class ReplayWithoutControllerTest {

  @Test
  void shouldTakeAPersonNoticeAndResponseAndWork() throws UsageException {
    Plan plan = Given.plan(4, 2, onAll(6, "GPU", "GPU Lost"), DAY.multipliedBy(6));
    for (int hours = 0; hours < 3; hours++) {
      Result r = run(plan.withRespond(HOUR.multipliedBy(hours)), World.PERSON);
      assertThat(r.recoveries()).isEmpty();
      assertThat(r.account().stops()).isNotEmpty();
      // 15 minutes of notice, the response, 10 minutes by hand, and the start of the job: about
      // four.
      Duration least = HOUR.multipliedBy(hours).plusMinutes(15 + 10 + 3);
      assertThat(r.account().stops())
          .allMatch(s -> s.length().compareTo(least) > 0)
          .allMatch(s -> s.length().compareTo(least.plusMinutes(4)) < 0);
    }
  }

  @Test
  void shouldTakeAPersonToGetRidOfADeadNode() throws UsageException {
    Plan plan = Given.plan(4, 2, onAll(6, "CPU", "MCE"), DAY.multipliedBy(6));
    Result r = run(plan, World.PERSON);
    assertThat(r.account().stops())
        .isNotEmpty()
        .allMatch(s -> s.over() && s.length().toMinutes() < 95);
  }

  @Test
  void shouldWaitForTheRepairWithoutAnOperator() throws UsageException {
    Plan plan = Given.plan(5, 1, onAll(6, "GPU", "GPU Lost"), DAY.multipliedBy(6));
    Result r = run(plan, World.UNATTENDED);
    assertThat(r.account().stops())
        .isNotEmpty()
        .allMatch(s -> s.over() && s.length().toHours() == 12);
  }
}
